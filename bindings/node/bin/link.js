// Replaces the script `overspill` by the program of the platform package, so that no shell starts before it.
// If that fails, the script stays and does the same.
const fs = require('node:fs');
const path = require('node:path');

try {
  const program = require.resolve('overspill-linux-x64-gnu/bin/overspill');
  const place = path.join(__dirname, 'overspill');
  const beside = `${place}.new`;
  fs.rmSync(beside, { force: true });
  try {
    fs.linkSync(program, beside);
  } catch {
    // A file system without hard links, or two file systems.
    fs.copyFileSync(program, beside, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(beside, 0o755);
  }
  fs.renameSync(beside, place);
} catch {
  // Another system, or a package manager that keeps packages in archives.
}
