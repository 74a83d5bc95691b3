//! A client that uses every kind of request, and checks the answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use rmcp::model::*;
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};

/// A client that counts progress notifications.
#[derive(Clone, Default)]
struct Client {
    steps: Arc<AtomicU32>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.steps.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) async fn by_stdio(program: &str, words: &[&str]) -> anyhow::Result<()> {
    let mut command = tokio::process::Command::new(program);
    command.args(words);
    let client = Client::default();
    check(client.clone(), client.serve(TokioChildProcess::new(command)?).await?).await
}

pub(crate) async fn by_http(url: &str, token: &str) -> anyhow::Result<()> {
    let client = Client::default();
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(token);
    let transport = StreamableHttpClientTransport::from_config(config);
    check(client.clone(), client.serve(transport).await?).await
}

type Session = RunningService<RoleClient, Client>;

fn call_of(tool: &str, arguments: Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

async fn call(session: &Session, tool: &str, arguments: Value) -> anyhow::Result<CallToolResult> {
    session.call_tool(call_of(tool, arguments)).await.with_context(|| tool.to_owned())
}

fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|part| part.as_text());
    texts.map(|text| text.text.clone()).collect::<Vec<_>>().join("\n")
}

async fn check(client: Client, session: Session) -> anyhow::Result<()> {
    let tools = session.list_all_tools().await?;
    for name in ["lines", "rows", "overspill_read", "overspill_grep"] {
        ensure!(tools.iter().any(|tool| tool.name == name), "{name} is not among the tools");
    }

    let small = call(&session, "lines", json!({"count": 2})).await?;
    ensure!(text(&small) == "row 1\nrow 2", "{small:?}");

    let large = call(&session, "lines", json!({"count": 50_000})).await?;
    let shown = text(&large);
    ensure!(shown.chars().count() <= 9_500 && shown.contains("row 50000"), "{shown:.300}");
    let id = shown.split("{\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let id = id.context("the notice has no id")?;
    let page = call(&session, "overspill_read", json!({"id": id, "lines": "31000:31001"})).await?;
    ensure!(text(&page).starts_with("row 31000\nrow 31001\n"), "{page:?}");

    let few = call(&session, "rows", json!({"count": 3})).await?;
    ensure!(few.structured_content == Some(json!({"rows": ["row 1", "row 2", "row 3"]})), "{few:?}");
    let many = call(&session, "rows", json!({"count": 50_000})).await?;
    ensure!(many.structured_content.is_none() && text(&many).contains("row 50000"), "{many:?}");

    let picture = call(&session, "picture", json!({})).await?;
    ensure!(picture.content.iter().any(|part| part.as_image().is_some()), "{picture:?}");

    let failed = call(&session, "fail", json!({"count": 5_000})).await?;
    ensure!(failed.is_error == Some(true) && text(&failed).chars().count() <= 4_750, "{failed:?}");
    ensure!(session.call_tool(call_of("no such tool", json!({}))).await.is_err());

    let resources = session.list_all_resources().await?;
    let has = |start: &str| resources.iter().any(|one| one.uri.starts_with(start));
    ensure!(has("peer://one") && has("overspill://"), "{resources:?}");
    for (uri, start) in [("peer://one".to_owned(), "the one"), (format!("overspill://{id}"), "row 1\n")] {
        let read = session.read_resource(ReadResourceRequestParams::new(uri)).await?;
        let ResourceContents::TextResourceContents { text, .. } = &read.contents[0] else {
            anyhow::bail!("{read:?}");
        };
        ensure!(text.starts_with(start), "{text:.100}");
    }

    let before = client.steps.load(Ordering::SeqCst);
    call(&session, "steps", json!({"count": 4})).await?;
    // Progress may come on another stream, after the result.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let steps = client.steps.load(Ordering::SeqCst) - before;
    ensure!(steps >= 3, "{steps} steps were reported");

    let long = ClientRequest::CallToolRequest(Request::new(call_of("steps", json!({"count": 1_000}))));
    let options = PeerRequestOptions::with_timeout(Duration::from_millis(300));
    let handle = session.send_cancellable_request(long, options).await?;
    ensure!(handle.await_response().await.is_err(), "the call was not cancelled");
    let again = call(&session, "lines", json!({"count": 1})).await?;
    ensure!(text(&again) == "row 1", "{again:?}");

    session.cancel().await?;
    Ok(())
}
