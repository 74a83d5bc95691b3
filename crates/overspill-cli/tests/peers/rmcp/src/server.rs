//! A server with one tool of each kind.

use std::time::Duration;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default)]
struct Server;

#[derive(Debug, Deserialize, JsonSchema)]
struct Count {
    count: u32,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Rows {
    rows: Vec<String>,
}

fn rows(count: u32) -> Vec<String> {
    (1..=count).map(|n| format!("row {n}")).collect()
}

#[tool_router]
impl Server {
    #[tool(description = "Returns `count` lines")]
    fn lines(&self, Parameters(Count { count }): Parameters<Count>) -> String {
        rows(count).join("\n")
    }

    #[tool(description = "Returns `count` rows as structured content")]
    fn rows(&self, Parameters(Count { count }): Parameters<Count>) -> Json<Rows> {
        Json(Rows { rows: rows(count) })
    }

    #[tool(description = "Returns a picture")]
    fn picture(&self) -> CallToolResult {
        CallToolResult::success(vec![
            ContentBlock::image("iVBORw0KGgo=", "image/png"),
            ContentBlock::text("a picture"),
        ])
    }

    #[tool(description = "Fails with a long message")]
    fn fail(&self, Parameters(Count { count }): Parameters<Count>) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(rows(count).join("\n"))])
    }

    #[tool(description = "Takes `count` steps of 50 ms")]
    async fn steps(
        &self,
        Parameters(Count { count }): Parameters<Count>,
        meta: RequestMetaObject,
        client: Peer<RoleServer>,
    ) -> String {
        for step in 1..=count {
            if let Some(token) = meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, f64::from(step));
                let _ = client.notify_progress(progress).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        "done".into()
    }
}

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(can)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("peer://one", "one")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("the one", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

pub(crate) async fn by_stdio() -> anyhow::Result<()> {
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

pub(crate) async fn by_http() -> anyhow::Result<()> {
    let service: StreamableHttpService<Server, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Server),
        Default::default(),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
