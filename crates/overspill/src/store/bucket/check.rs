//! Tries each kind of request to a bucket, to find out which rights are missing.

use std::time::Duration;

use object_store::PutMode;

use super::Bucket;
use super::failure::Failure;
use crate::store::random;

/// The time limit of each request.
const WAIT: Duration = Duration::from_secs(10);

/// The result of one kind of request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The kind of request.
    pub what: &'static str,
    /// The commands that need this right.
    pub needed_for: &'static str,
    /// The result.
    pub finding: Finding,
}

/// The result of a trial request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The request works.
    Works,
    /// The request fails. The text is the reason.
    Fails(String),
    /// The request was not sent, because an earlier one failed.
    NotTried,
}

impl Bucket {
    /// Tries every kind of request that overspill needs, and removes the test object if possible.
    pub fn check_rights(&self) -> Vec<Check> {
        let path = self.0.layout.at(&format!("check/{}", random(12).unwrap_or_default()));
        let run = |work: Work| {
            let (path, folder) = (path.clone(), self.0.layout.at("check"));
            self.0.remote.run(WAIT, move |objects| async move {
                match work {
                    Work::Put(mode) => {
                        objects.put(&path, "overspill".as_bytes().into(), mode).await
                    }
                    Work::Get => match objects.get(&path, Some(4..9)).await?.bytes == b"spill" {
                        true => Ok(()),
                        false => {
                            Err(Failure::Other("the server ignored the requested range".into()))
                        }
                    },
                    Work::List => {
                        let listed = objects.list(&folder).await?;
                        match listed.iter().any(|meta| meta.location == path) {
                            true => Ok(()),
                            false => Err(Failure::Other("the new object is not listed".into())),
                        }
                    }
                    Work::Delete => objects.delete(vec![path.clone()]).await,
                }
            })
        };
        let put = run(Work::Put(PutMode::Overwrite));
        let tried = |done: Result<(), Failure>| match (&put, done) {
            (Err(_), _) => Finding::NotTried,
            (Ok(()), Ok(())) => Finding::Works,
            (Ok(()), Err(failure)) => Finding::Fails(failure.to_string()),
        };
        let (get, list) = match &put {
            Ok(()) => (tried(run(Work::Get)), tried(run(Work::List))),
            Err(failure) if failure.is_denial() => self.read_rights(),
            Err(_) => (Finding::NotTried, Finding::NotTried),
        };
        let again = put.clone().and_then(|()| match run(Work::Put(PutMode::Create)) {
            Err(Failure::Exists) => Ok(()),
            Ok(()) => Err(Failure::Other("the server overwrites an existing object".into())),
            Err(failure) => Err(failure),
        });
        let again = tried(again);
        let delete = tried(put.clone().and_then(|()| run(Work::Delete)));
        let put = match put {
            Ok(()) => Finding::Works,
            Err(failure) => Finding::Fails(failure.to_string()),
        };
        [
            ("put", "saving", put),
            ("conditional put", "never overwriting an output", again),
            ("get", "read, grep, diff and info", get),
            ("list", "list, beginnings of ids, and gc", list),
            ("delete", "gc and rm", delete),
        ]
        .map(|(what, needed_for, finding)| Check { what, needed_for, finding })
        .into()
    }

    /// Tries to get and to list if nothing may be put, as on machines that only read.
    fn read_rights(&self) -> (Finding, Finding) {
        let missing = self.0.layout.at("check/nothing");
        // A server says that an object does not exist only to clients that may list.
        let get = match self
            .0
            .remote
            .run(WAIT, |objects| async move { objects.get(&missing, Some(4..9)).await })
        {
            Ok(_) | Err(Failure::NotFound) => Finding::Works,
            Err(failure) => Finding::Fails(failure.to_string()),
        };
        let folder = self.0.layout.at("check");
        let listed = self.0.remote.run(WAIT, |objects| async move { objects.list(&folder).await });
        match listed {
            Ok(_) => (get, Finding::Works),
            Err(failure) => (Finding::NotTried, Finding::Fails(failure.to_string())),
        }
    }
}

enum Work {
    Put(PutMode),
    Get,
    List,
    Delete,
}
