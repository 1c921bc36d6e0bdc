import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The checkout that is tested. */
export const ROOT = resolve(__dirname, '..', '..', '..');

/** Text of a file of the checkout. */
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Lays out the folder of the image from a checkout that is built. @throws Error when that fails. */
export const layOut = (checkout: string, target: string): void => {
  const module = pathToFileURL(join(ROOT, 'scripts', 'lay-out.mjs')).href;
  const program = `import { layOut } from ${JSON.stringify(module)}; await layOut(...process.argv.slice(1));`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program, checkout, target], {
    stdio: 'pipe',
  });
};

/** Paths of all files and links below a folder, relative to it, sorted. */
export const filesBelow = (folder: string): readonly string[] => {
  const visit = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const below = join(path, entry.name);
      return entry.isDirectory() ? visit(below) : [below];
    });
  return visit('').sort();
};
