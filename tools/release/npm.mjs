// Writes the files of the two npm packages. `overspill` has no binary; `overspill-linux-x64-gnu` has the program and the library.
//
//     node tools/release/npm.mjs STAGE OUT
//
// STAGE is the directory that tools/release/stage wrote. OUT/overspill and OUT/overspill-linux-x64-gnu are ready for `npm pack`.
// `overspill` lists the second package, so that npm installs both and no install script downloads anything.
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [stage, out] = process.argv.slice(2);
const here = 'bindings/node';
// The name that the loader of @napi-rs/cli looks for.
const platform = 'overspill-linux-x64-gnu';
const whole = JSON.parse(readFileSync(`${here}/package.json`, 'utf8'));
const { scripts: _scripts, devDependencies: _dev, napi: _napi, files: _files, ...shared } = whole;
const write = (folder, json) => writeFileSync(join(folder, 'package.json'), `${JSON.stringify(json, null, 2)}\n`);
const licences = (folder) => {
  for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) cpSync(name, join(folder, name));
};

const binary = join(out, platform);
mkdirSync(binary, { recursive: true });
cpSync(stage, binary, { recursive: true });
cpSync(`${here}/native/overspill.linux-x64-gnu.node`, join(binary, 'overspill.linux-x64-gnu.node'));
licences(binary);
writeFileSync(join(binary, 'README.md'), `# ${platform}\n\nThe program and the library of [overspill](https://www.npmjs.com/package/overspill) for Linux on x86-64.\n`);
write(binary, {
  name: platform,
  version: whole.version,
  description: 'The program and the library of overspill for Linux on x86-64',
  license: whole.license,
  main: 'overspill.linux-x64-gnu.node',
  os: ['linux'],
  cpu: ['x64'],
  engines: whole.engines,
});

const main = join(out, 'overspill');
mkdirSync(join(main, 'native'), { recursive: true });
cpSync(`${here}/dist`, join(main, 'dist'), { recursive: true });
for (const name of ['index.js', 'index.d.ts']) cpSync(`${here}/native/${name}`, join(main, 'native', name));
cpSync(`${here}/README.md`, join(main, 'README.md'));
cpSync(`${here}/bin`, join(main, 'bin'), { recursive: true });
chmodSync(join(main, 'bin/overspill'), 0o755);
cpSync(join(stage, 'share/man'), join(main, 'share/man'), { recursive: true });
cpSync(join(stage, 'share/overspill'), join(main, 'share/overspill'), { recursive: true });
licences(main);
write(main, {
  ...shared,
  bin: { overspill: 'bin/overspill' },
  man: readdirSync(join(main, 'share/man/man1')).sort().map((name) => `share/man/man1/${name}`),
  scripts: { postinstall: 'node bin/link.js' },
  optionalDependencies: { [platform]: whole.version },
});
