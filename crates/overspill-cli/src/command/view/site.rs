//! Serves the page of `overspill view`: its files, and answers about saved outputs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::{Method, Request, StatusCode};
use overspill::Profile;
use overspill::internal::store::Record;
use overspill::store::OutputId;

use super::export::Document;
use super::{browser, commands, facts, failures, page, piece, seen};
use crate::env::Env;
use crate::serve::{Guard, PageAccess, Reply, ServerLimits, Site, plain, reply};
use crate::stores::{Outputs, StoreAccess};
use crate::{find, ui};

/// The options of the page.
pub(super) struct PageRequest<'a> {
    /// The output to open first.
    pub(super) id: Option<&'a str>,
    /// Tells whether to open a browser.
    pub(super) opens: bool,
    /// The time without a request after which the server ends.
    pub(super) idle: Duration,
    /// The option `--profile` as the user typed it.
    pub(super) profile: Vec<String>,
    /// The whole page, for an output of a transcript, which is in no store.
    pub(super) document: Option<Document>,
}

/// The content security policy. The page loads nothing from other servers and runs no text as a
/// script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const POLICY_NAME: &str = "content-security-policy";
const HEADERS: [(&str, &str); 6] = [
    (POLICY_NAME, POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The number of requests that are answered at the same time.
const AT_ONCE: usize = 4;

/// The page that a browser has opened.
struct Page {
    env: Env,
    /// The path of the page, with a slash at both ends.
    path: String,
    profile: Vec<String>,
    document: Option<Document>,
    started: Instant,
    /// The time of the last request, in milliseconds since the start.
    asked: AtomicU64,
    /// Limits the requests that are answered at the same time.
    turns: tokio::sync::Semaphore,
    /// The first list, which begins when the browser asks for the page.
    first_list: Mutex<Option<FirstList>>,
}

/// A list that the server has begun before the browser asked for it.
struct FirstList {
    began: Instant,
    answer: tokio::task::JoinHandle<Reply>,
}

/// The time after which a browser that asks for the first list gets a new one.
const FRESH: Duration = Duration::from_secs(2);

/// Serves the page until the user ends the program, or until no request has come for the idle time.
pub(super) fn serve(asked: PageRequest<'_>, env: &Env) -> anyhow::Result<()> {
    let listener =
        std::net::TcpListener::bind("127.0.0.1:0").context("cannot listen on this machine")?;
    let port = listener.local_addr()?.port();
    // Only a page with `--open` has a redirect file, so it removes no file of another page.
    let file = if asked.opens { browser::redirect_file(env) } else { None };
    let redirect = file.clone();
    let access = PageAccess::new(move || browser::remove(redirect.as_deref()))?;
    let id = asked.id.map(|id| format!("&id={id}")).unwrap_or_default();
    let address = format!("http://127.0.0.1:{port}/?token={}{id}", access.token());
    ui::answer(&format!("{address}\n"))?;
    if asked.opens
        && let Err(error) = browser::open(&address, file.as_deref(), env)
    {
        ui::warn_line(&format!(
            "cannot open a browser: {}\n\nhint: open the address above",
            ui::reason(&error)
        ));
    }
    ui::say("this address works once, for one browser; Ctrl-C ends the page");
    let page = Arc::new(Page {
        env: env.clone(),
        path: access.path().to_owned(),
        profile: asked.profile,
        document: asked.document,
        started: Instant::now(),
        asked: AtomicU64::new(0),
        turns: tokio::sync::Semaphore::new(AT_ONCE),
        first_list: Mutex::new(None),
    });
    let (watched, idle) = (page.clone(), asked.idle);
    std::thread::spawn(move || {
        watched.wait_until_idle(idle);
        browser::remove(file.as_deref());
        ui::say(&format!(
            "ended: the browser sent no request for {}",
            ui::count(idle.as_secs(), "second")
        ));
        std::process::exit(0);
    });
    Ok(crate::serve::serve(listener, Guard::Page(access), ServerLimits::DEFAULT, page)?)
}

impl Site for Page {
    async fn answer(self: Arc<Page>, request: Request<Incoming>, _: ServerLimits) -> Reply {
        self.note_request();
        let path = request.uri().path().strip_prefix(&self.path).unwrap_or_default().to_owned();
        let method = request.method().clone();
        if let Some(document) = &self.document {
            return document_reply(document, &path, &method);
        }
        let reply = match path.strip_prefix("api/") {
            None if method == Method::GET => {
                if path.is_empty() {
                    self.begin_first_list();
                }
                file(&path)
            }
            None => plain(StatusCode::METHOD_NOT_ALLOWED, "this file can only be read, with GET"),
            Some(question) => {
                let query = request.uri().query().unwrap_or_default();
                if let Some(begun) = self.begun_list(&method, question, query)
                    && let Ok(reply) = begun.await
                {
                    self.note_request();
                    return with_headers(reply);
                }
                let query = commands::query(query);
                let question = question.to_owned();
                let Ok(turn) = self.turns.acquire().await else {
                    return plain(StatusCode::SERVICE_UNAVAILABLE, "");
                };
                let page = self.clone();
                let answer = move || page.about(&method, &question, &query);
                let answer = tokio::task::spawn_blocking(answer).await;
                drop(turn);
                self.note_request();
                answer
                    .unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR, "internal error"))
            }
        };
        with_headers(reply)
    }
}

impl Page {
    /// Records the time of a request.
    fn note_request(&self) {
        self.asked.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Begins the first list of a page. Its answer is ready by the time the scripts ask for it.
    fn begin_first_list(self: &Arc<Self>) {
        let page = self.clone();
        let answer = tokio::task::spawn_blocking(move || {
            page.about(&Method::GET, "list", &commands::query(page::first_list().1))
        });
        let mut list = self.first_list.lock().unwrap_or_else(PoisonError::into_inner);
        *list = Some(FirstList { began: Instant::now(), answer });
    }

    /// Returns the first list if it was begun for this request.
    fn begun_list(
        &self,
        method: &Method,
        question: &str,
        query: &str,
    ) -> Option<tokio::task::JoinHandle<Reply>> {
        if *method != Method::GET || question != "list" || query != page::first_list().1 {
            return None;
        }
        let mut list = self.first_list.lock().unwrap_or_else(PoisonError::into_inner);
        list.take().filter(|list| list.began.elapsed() < FRESH).map(|list| list.answer)
    }

    /// Returns after `idle` without a request.
    fn wait_until_idle(&self, idle: Duration) {
        loop {
            let asked = Duration::from_millis(self.asked.load(Ordering::Relaxed));
            let since = self.started.elapsed().saturating_sub(asked);
            match idle.checked_sub(since).filter(|left| !left.is_zero()) {
                Some(left) => std::thread::sleep(left.max(Duration::from_millis(10))),
                // An answer that takes long, such as a checksum, is not there yet.
                None if self.turns.available_permits() < AT_ONCE => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                None => return,
            }
        }
    }

    /// Answers a request about saved outputs.
    fn about(&self, method: &Method, question: &str, query: &[(String, String)]) -> Reply {
        let changes = commands::changes(question);
        let expected = if changes == Some(true) { Method::POST } else { Method::GET };
        if *method != expected {
            return plain(
                StatusCode::METHOD_NOT_ALLOWED,
                "this request needs another method: POST for pin and rm, GET for all others",
            );
        }
        let (code, answer) = match changes {
            Some(_) => commands::run(question, query, &self.profile, &self.env),
            None => ui::captured(|| ui::ended(self.about_output(question, query))),
        };
        // `grep` without a match exits with 1, which is not an error.
        let is_error = code != 0 && (question != "grep" || code != 1);
        let status = if is_error { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
        reply(status, "application/x-ndjson; charset=utf-8", answer)
    }

    /// Prints the answer to a request about one output.
    fn about_output(&self, question: &str, query: &[(String, String)]) -> anyhow::Result<()> {
        let value =
            |key: &str| query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let number = |key: &str| value(key).and_then(|value| value.parse::<u64>().ok());
        let (store, name) = self.find(value("id").unwrap_or_default())?;
        let record = || -> anyhow::Result<Record> { Ok(store.record(&name)?.unwrap_or_default()) };
        let answer = match question {
            "output" => facts::facts(&*store, &name, &record()?)?,
            // This reads the records of all outputs, so only the tab Compare asks for it.
            "previous" => {
                let previous = overspill::internal::retrieve::previous_run(&*store, &name)?;
                serde_json::json!({ "id": name, "previous": previous })
            }
            "seen" => seen::seen(&*store, &name, &record()?, &self.env)?,
            "failures" => failures::failures(&*store, &name, &record()?)?,
            "piece" => {
                let anchor = match (number("from"), number("to"), number("near"), number("line")) {
                    (Some(from), ..) => piece::Anchor::From(from),
                    (_, Some(to), ..) => piece::Anchor::To(to),
                    (_, _, Some(near), _) => piece::Anchor::Near(near),
                    (.., line) => piece::Anchor::Line(line.unwrap_or(1)),
                };
                let rows = number("rows").and_then(|rows| usize::try_from(rows).ok());
                piece::piece(&*store, &name, anchor, rows)?
            }
            _ => anyhow::bail!(ui::UsageError("the page cannot ask for this".into())),
        };
        ui::answer(&ui::json_line(answer))
    }

    fn find(&self, id: &str) -> anyhow::Result<(Outputs, OutputId)> {
        let profile = self.profile.get(1).and_then(|name| Profile::named(name));
        find::find(id.as_ref(), &StoreAccess { env: &self.env, profile })
    }
}

/// Returns a file of the page.
fn file(path: &str) -> Reply {
    match path {
        "" => reply(StatusCode::OK, "text/html; charset=utf-8", page::INDEX),
        "style.css" => reply(StatusCode::OK, "text/css; charset=utf-8", page::STYLE),
        "page.js" => reply(StatusCode::OK, "text/javascript; charset=utf-8", page::SCRIPT),
        _ => plain(StatusCode::NOT_FOUND, "not found"),
    }
}

/// Answers a request for a page that is one document and needs no other answers.
fn document_reply(document: &Document, path: &str, method: &Method) -> Reply {
    if !path.is_empty() || *method != Method::GET {
        return with_headers(plain(StatusCode::NOT_FOUND, "not found"));
    }
    let page = reply(StatusCode::OK, "text/html; charset=utf-8", document.html.clone());
    let mut page = with_headers(page);
    let policy = format!("{}; frame-ancestors 'none'", document.policy);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        page.headers_mut().insert(POLICY_NAME, policy);
    }
    page
}

fn with_headers(mut reply: Reply) -> Reply {
    for (name, value) in HEADERS {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}
