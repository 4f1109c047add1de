//! The pages of the site, as handlers of axum.

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use site::{INDEX_HTML, Site, Status, compute, hello_html};
use tokio::{fs, time};

// ANCHOR: router
/// Which handler answers which path. `get` takes `HEAD` as well, and refuses every other method.
pub fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/sleep", get(sleep))
        .route("/tenth", get(tenth))
        .route("/file", get(file))
        .route("/work", get(work))
        .route("/panic", get(panic))
        .method_not_allowed_fallback(not_allowed)
        .fallback(not_found)
        .with_state(site)
}

async fn index() -> Html<&'static str> {
    Html(INDEX_HTML)
}

async fn sleep(RawQuery(query): RawQuery) -> Result<String, Refusal> {
    let (pause, text) = Site::sleep(query.as_deref())?;
    time::sleep(pause).await;
    Ok(text)
}

/// All handlers share one `Site`, and so one counter.
async fn tenth(
    State(site): State<Arc<Site>>,
    RawQuery(query): RawQuery,
) -> Result<String, Refusal> {
    let (pause, text) = site.tenth(query.as_deref())?;
    if let Some(pause) = pause {
        time::sleep(pause).await;
    }
    Ok(text)
}

async fn file() -> Result<Html<Vec<u8>>, Refusal> {
    let contents = fs::read(hello_html()).await;
    Ok(Html(contents.map_err(|error| site::Response::unreadable(&error))?))
}

/// It computes in its poll, and its worker serves nobody else meanwhile.
async fn work(RawQuery(query): RawQuery) -> Result<impl IntoResponse, Refusal> {
    let json = compute(Site::rounds(query.as_deref())?);
    Ok(([(CONTENT_TYPE, "application/json")], json))
}
// ANCHOR_END: router

async fn panic(State(site): State<Arc<Site>>) -> Refusal {
    Refusal(site.panic())
}

async fn not_allowed() -> Refusal {
    Refusal(site::Response::method_not_allowed())
}

async fn not_found(uri: Uri) -> Refusal {
    // `OPTIONS *` asks about the server itself, which is no path that a router knows.
    Refusal(match uri.path() {
        "*" => site::Response::method_not_allowed(),
        _ => site::Response::not_found(),
    })
}

// ANCHOR: refusal
/// Why a request gets no page. With `?`, a handler ends with one.
struct Refusal(site::Response);

impl From<site::Response> for Refusal {
    fn from(response: site::Response) -> Refusal {
        Refusal(response)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let site::Response { status, content_type, body } = self.0;
        let code = StatusCode::from_u16(status.code).expect("ours are all valid");
        let mut response = (code, [(CONTENT_TYPE, content_type)], body).into_response();
        if status == Status::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(site::ALLOW));
        }
        response
    }
}
// ANCHOR_END: refusal
