//! The pages of the site, as handlers of actix-web.

use std::{fmt, fs, io};

use actix_web::http::{StatusCode, header::ALLOW};
use actix_web::rt::time;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};
use actix_web::{ResponseError, guard, web};
use site::{INDEX_HTML, Site, Status, compute, hello_html};

// ANCHOR: routes
/// Which handler answers which path.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(at("/", index))
        .service(at("/sleep", sleep))
        .service(at("/tenth", tenth))
        .service(at("/file", file))
        .service(at("/work", work))
        .service(at("/panic", panic))
        .default_service(web::to(not_found));
}

/// A handler for `GET` and `HEAD` at this path, and a refusal for every other method.
fn at<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let is_get = guard::Any(guard::Get()).or(guard::Head());
    web::resource(path)
        .route(web::route().guard(is_get).to(handler))
        .default_service(web::to(not_allowed))
}

async fn index() -> HttpResponse {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(INDEX_HTML)
}

async fn sleep(request: HttpRequest) -> Result<String, Refusal> {
    let (pause, text) = Site::sleep(Some(request.query_string()))?;
    time::sleep(pause).await;
    Ok(text)
}

async fn tenth(site: web::Data<Site>, request: HttpRequest) -> Result<String, Refusal> {
    let (pause, text) = site.tenth(Some(request.query_string()))?;
    if let Some(pause) = pause {
        time::sleep(pause).await;
    }
    Ok(text)
}

/// Each worker is one thread, so a call that blocks belongs on the pool that is there for that.
async fn file() -> Result<HttpResponse, Refusal> {
    let read = web::block(|| fs::read(hello_html())).await;
    match read.map_err(io::Error::other).and_then(|contents| contents) {
        Ok(contents) => {
            Ok(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(contents))
        }
        Err(error) => Err(Refusal(site::Response::unreadable(&error))),
    }
}

/// It computes in its poll, and no other worker can take over the connections of this one.
async fn work(request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let json = compute(Site::rounds(Some(request.query_string()))?);
    Ok(HttpResponse::Ok().content_type("application/json").body(json))
}
// ANCHOR_END: routes

async fn panic(site: web::Data<Site>) -> HttpResponse {
    Refusal(site.panic()).error_response()
}

async fn not_allowed() -> HttpResponse {
    Refusal(site::Response::method_not_allowed()).error_response()
}

async fn not_found(request: HttpRequest) -> HttpResponse {
    // `OPTIONS *` asks about the server itself, which is no path that a router knows.
    match request.path() {
        "*" => not_allowed().await,
        _ => Refusal(site::Response::not_found()).error_response(),
    }
}

// ANCHOR: refusal
/// Why a request gets no page. With `?`, a handler ends with one.
#[derive(Debug)]
struct Refusal(site::Response);

impl From<site::Response> for Refusal {
    fn from(response: site::Response) -> Refusal {
        Refusal(response)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.0.status.reason)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status.code).expect("ours are all valid")
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if self.0.status == Status::METHOD_NOT_ALLOWED {
            response.insert_header((ALLOW, site::ALLOW));
        }
        response.content_type(self.0.content_type).body(self.0.body.clone())
    }
}
// ANCHOR_END: refusal
