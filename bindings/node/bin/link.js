// Replaces the script `overspill` by the program of the platform package, so that no shell starts before it.
// If that fails, the script stays and does the same.
const fs = require('node:fs');
const path = require('node:path');

// Gives the name `place` to the file that `write` makes, without a moment in which `place` does not exist.
function replace(place, write) {
  const beside = `${place}.new`;
  fs.rmSync(beside, { force: true });
  write(beside);
  fs.renameSync(beside, place);
}

try {
  const program = require.resolve('overspill-linux-x64-gnu/bin/overspill');
  const place = path.join(__dirname, 'overspill');
  // A copy and not a link: npm writes files in small parts, and Linux starts such a file more slowly while it is cached.
  replace(place, (beside) => {
    fs.copyFileSync(program, beside, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(beside, 0o755);
  });
  try {
    // Keep one of the two files. Some file systems have no hard links.
    replace(program, (beside) => fs.linkSync(place, beside));
  } catch {
    fs.rmSync(`${program}.new`, { force: true });
  }
} catch {
  // Another system, or a package manager that keeps packages in archives.
}
