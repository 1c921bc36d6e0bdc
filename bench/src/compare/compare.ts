import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from '../router/figures';
import { option, print } from '../table';
import { Checkout } from './checkout';
import { printRatios } from './ratios';

const ROOT = join(__dirname, '..', '..', '..');
const ROUNDS = 3;
/** Default arguments of the bench. */
const DEFAULT_ARGUMENTS = ['router'];

/** Runs this checkout's bench on the services of a given checkout. */
const measureOnce = (
  root: string,
  args: readonly string[],
  out: string,
): readonly Measurement[] => {
  execFileSync(process.execPath, [join(ROOT, 'bench', 'dist', 'main.js'), ...args, '--out', out], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PENSTOCK_BENCH_ROOT: root },
  });
  return readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measurement);
};

/**
 * Builds another commit and measures it and this checkout in turns with the same bench, so that other load of the
 * machine affects both: `compare REF [--rounds N] [-- ARGUMENTS]`.
 */
export const compare = (): void => {
  const [, , , ref = ''] = process.argv;
  const dashes = process.argv.indexOf('--', 3);
  const args = dashes < 0 ? DEFAULT_ARGUMENTS : process.argv.slice(dashes + 1);
  if (ref === '' || ref.startsWith('-')) throw new Error('usage: compare REF [-- ARGUMENTS]');
  const folder = mkdtempSync(join(tmpdir(), 'penstock-compare-'));
  const checkout = Checkout.make(ROOT, ref);
  const other: Measurement[] = [];
  const own: Measurement[] = [];
  try {
    const rounds = option('rounds', ROUNDS);
    for (let round = 1; round <= rounds; round += 1) {
      print(`round ${round} of ${rounds}`);
      other.push(...measureOnce(checkout.folder, args, join(folder, `${round}-a`)));
      own.push(...measureOnce(ROOT, args, join(folder, `${round}-b`)));
    }
    printRatios(ref, other, own);
  } finally {
    checkout.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
