//! From a request to a response, in hyper's types. hyper has no router: a `match` is one.

use std::{convert::Infallible, sync::Arc};

use http_body_util::Full;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, EXPECT, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use site::{INDEX_HTML, Site, Status, compute, hello_html};
use tokio::{fs, time::sleep};

use crate::serve::drain;

// ANCHOR: page
/// What the site has at this path, or the reason why not.
async fn page(request: &Parts, site: &Site) -> Result<site::Response, site::Response> {
    let query = request.uri.query();
    let is_get = matches!(request.method, Method::GET | Method::HEAD);
    Ok(match request.uri.path() {
        "/" | "/sleep" | "/tenth" | "/file" | "/work" if !is_get => {
            site::Response::method_not_allowed()
        }
        // `OPTIONS *` asks about the server itself, which is no path.
        "*" => site::Response::method_not_allowed(),
        "/" => site::Response::html(INDEX_HTML),
        "/sleep" => {
            let (pause, text) = Site::sleep(query)?;
            sleep(pause).await;
            site::Response::text(Status::OK, text)
        }
        "/tenth" => {
            let (pause, text) = site.tenth(query)?;
            if let Some(pause) = pause {
                sleep(pause).await;
            }
            site::Response::text(Status::OK, text)
        }
        "/file" => match fs::read(hello_html()).await {
            Ok(contents) => site::Response::html(contents),
            Err(error) => site::Response::unreadable(&error),
        },
        // It computes in its poll, and its worker serves nobody else meanwhile.
        "/work" => site::Response::json(compute(Site::rounds(query)?)),
        "/panic" => site.panic(),
        _ => site::Response::not_found(),
    })
}
// ANCHOR_END: page

// ANCHOR: answer
/// Answers one request. hyper itself leaves the body out where the method is `HEAD`, adds the length and the date,
/// and says how the connection goes on.
pub async fn answer(
    request: Request<Incoming>,
    site: Arc<Site>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (request, body) = request.into_parts();
    let has_body = !body.is_end_stream();
    // A client that waits for a "100 Continue" gets the answer instead, and keeps its body.
    if has_body && !request.headers.contains_key(EXPECT) {
        drain(body).await;
    }
    let page = page(&request, &site).await.unwrap_or_else(|refusal| refusal);
    let mut response = Response::new(Full::from(page.body));
    *response.status_mut() = StatusCode::from_u16(page.status.code).expect("ours are all valid");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(page.content_type));
    if page.status == Status::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static(site::ALLOW));
    }
    if has_body {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
// ANCHOR_END: answer
