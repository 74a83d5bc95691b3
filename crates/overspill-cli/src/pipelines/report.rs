//! Reads the records that the prelude and the capturing stages write into the pipe.
//!
//! In: the bytes of the pipe. Out: one record for each event. Fields end with a NUL byte.

/// A pipeline in which a stage failed, as the shell reported it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PipelineReport {
    /// The number of the event that saw the pipeline. The shell numbers its simple commands.
    pub(super) event: u64,
    /// `$?` after the pipeline.
    pub(super) status: i32,
    /// The exit codes of the stages.
    pub(super) codes: Vec<i32>,
    /// The last simple commands that the shell began, as text. The newest command is last.
    pub(super) commands: Vec<String>,
    /// The names of shell functions among the words of these commands.
    pub(super) functions: Vec<String>,
}

/// The figures of a capturing stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CaptureReport {
    /// The number of the place in the line.
    pub(super) place: usize,
    /// The number of bytes that the first stage wrote.
    pub(super) total: u64,
    /// The number of these bytes that are in the file.
    pub(super) saved: u64,
    /// Tells whether the reader left before the first stage ended.
    pub(super) reader_left: bool,
    /// The time from the start of the stage to its end, in milliseconds.
    pub(super) millis: u64,
}

/// The first field of a record about a pipeline.
pub(super) const PIPELINE: &str = "E";
/// The first field of a record about a capture.
pub(super) const CAPTURE: &str = "T";

/// Returns the records. A truncated or broken record ends the list.
pub(super) fn read(bytes: &[u8]) -> (Vec<PipelineReport>, Vec<CaptureReport>) {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = text.split('\0');
    let (mut pipelines, mut captures) = (Vec::new(), Vec::new());
    loop {
        let is_read = match fields.next() {
            Some(PIPELINE) => pipeline(&mut fields).map(|report| pipelines.push(report)),
            Some(CAPTURE) => capture(&mut fields).map(|report| captures.push(report)),
            _ => None,
        };
        if is_read.is_none() {
            return (pipelines, captures);
        }
    }
}

fn number<'a, N: std::str::FromStr>(fields: &mut impl Iterator<Item = &'a str>) -> Option<N> {
    fields.next()?.parse().ok()
}

fn pipeline<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<PipelineReport> {
    let (event, status) = (number(fields)?, number(fields)?);
    let stages: usize = number(fields)?;
    let codes = (0..stages).map(|_| number(fields)).collect::<Option<Vec<i32>>>()?;
    let mut commands = Vec::new();
    loop {
        match fields.next()? {
            "" => break,
            command => commands.push(command.to_owned()),
        }
    }
    let functions = fields.next()?.lines().map(str::to_owned).collect();
    Some(PipelineReport { event, status, codes, commands, functions })
}

fn capture<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<CaptureReport> {
    let (place, total, saved) = (number(fields)?, number(fields)?, number(fields)?);
    let reader_left = fields.next()? == "left";
    Some(CaptureReport { place, total, saved, reader_left, millis: number(fields)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_both_kinds_are_read() {
        let bytes = b"T\x000\x00120\x00100\x00whole\x0017\0E\x003\x000\x003\x001\x000\x000\0false\0tee\0cat\0\0cat\nf\n\0";
        let (pipelines, captures) = read(bytes);
        let commands = ["false", "tee", "cat"].map(str::to_owned).to_vec();
        let functions = ["cat", "f"].map(str::to_owned).to_vec();
        assert_eq!(
            pipelines,
            [PipelineReport { event: 3, status: 0, codes: vec![1, 0, 0], commands, functions }]
        );
        let capture =
            CaptureReport { place: 0, total: 120, saved: 100, reader_left: false, millis: 17 };
        assert_eq!(captures, [capture]);
    }

    #[test]
    fn broken_records_end_the_list() {
        for bytes in
            [&b""[..], b"E", b"E\x003\0", b"E\x003\x000\x0099999\x001\0", b"X\0Y\0", b"\xff\0"]
        {
            assert_eq!(read(bytes), (Vec::new(), Vec::new()), "{bytes:?}");
        }
    }
}
