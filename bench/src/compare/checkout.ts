import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../table';

const LOCK = 'package-lock.json';

/** A commit of this repository, installed and built in a temporary folder. */
export class Checkout {
  private constructor(readonly folder: string) {}

  /** @param root of this checkout. @param ref a hash, branch or tag. @throws Error when git does not know it. */
  static make(root: string, ref: string): Checkout {
    const folder = mkdtempSync(join(tmpdir(), 'penstock-compare-'));
    const checkout = new Checkout(folder);
    try {
      run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], root);
      const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`], {
        cwd: root,
      });
      run('git', ['checkout', '--quiet', '--detach', commit.toString().trim()], folder);
      takePackages(root, folder);
      print(`building ${ref} in ${folder}`);
      run(process.execPath, [join(folder, 'scripts', 'build.mjs')], folder);
      return checkout;
    } catch (error) {
      checkout.remove();
      throw error;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const run = (command: string, args: readonly string[], cwd: string): void => {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Copies the installed packages if the other commit has the same lock file; links in them are relative. */
const takePackages = (root: string, folder: string): void => {
  const lockOf = (place: string): string => readFileSync(join(place, LOCK), 'utf8');
  if (lockOf(root) !== lockOf(folder) || !existsSync(join(root, 'node_modules'))) return;
  run('cp', ['-a', join(root, 'node_modules'), join(folder, 'node_modules')], root);
};
