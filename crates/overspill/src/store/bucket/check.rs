//! What may be done in a bucket, tried out.

use std::time::Duration;

use object_store::PutMode;

use super::Bucket;
use super::failure::Failure;
use crate::store::random;

/// How long each try may take.
const WAIT: Duration = Duration::from_secs(10);

/// Something that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub what: &'static str,
    /// What it is needed for.
    pub needed_for: &'static str,
    /// How it went.
    pub finding: Finding,
}

/// How a try went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It can be done.
    Works,
    /// It cannot, for this reason.
    Fails(String),
    /// It could not be tried, because something before it failed.
    NotTried,
}

impl Bucket {
    /// Tries everything that is needed of a bucket, and leaves nothing behind if it can.
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
                            Err(Failure::Other("a part that was asked for did not come".into()))
                        }
                    },
                    Work::List => {
                        let listed = objects.list(&folder).await?;
                        match listed.iter().any(|meta| meta.location == path) {
                            true => Ok(()),
                            false => Err(Failure::Other("what was put is not listed".into())),
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
            Ok(()) => Err(Failure::Other("it overwrites what is there".into())),
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

    /// Tries to get and to list where nothing may be put, as machines that only read.
    fn read_rights(&self) -> (Finding, Finding) {
        let missing = self.0.layout.at("check/nothing");
        // Only whoever may list is told that there is no such object.
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
