import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestServer } from './test-postgres';

const PROGRAM = join(__dirname, '../test/lend-servers.cjs');

/**
 * Starts the process that lends servers. It ends with this process, also when that is killed, and its servers end with
 * it.
 *
 * @throws Error when it does not start.
 */
export const startTestLender = async (): Promise<TestServer> => {
  const lender = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(lender, 'exit');
  const printed = await Promise.race([once(lender.stdout, 'data'), ended.then(() => undefined)]);
  if (printed === undefined) throw new Error('the process that lends servers to specs has ended');
  const stop = async (): Promise<void> => {
    lender.stdin.end();
    await ended;
  };
  return { address: String(printed[0]).trim(), stop };
};
