import { resolve } from 'node:path';
import type { ListResult } from './run-list';
import { runFolder } from './run-folder';

const CONFORMANCE = resolve(__dirname, '../../../conformance');

/** Most differences that are shown per list. */
const MAX_SHOWN = 10;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

const report = ({ name, passed, differences }: ListResult): void => {
  print(`${name}: ${passed} passed, ${differences.length} failed`);
  for (const difference of differences.slice(0, MAX_SHOWN)) print(indented(difference));
  if (differences.length > MAX_SHOWN) print(`  and ${differences.length - MAX_SHOWN} more`);
};

const main = async (): Promise<void> => {
  const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? CONFORMANCE);
  let passed = 0;
  let failed = 0;
  for await (const result of runFolder(folder)) {
    report(result);
    passed += result.passed;
    failed += result.differences.length;
  }
  print(`\n${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
};

main().catch((error: unknown) => {
  print(String(error));
  print('\n0 passed, 1 failed');
  process.exitCode = 1;
});
