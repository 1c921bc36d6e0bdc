import { inspect } from 'node:util';
import { type Connections, explainFailedStart } from './explain-failed-start';

/**
 * Runs a program that does one thing and ends. A failure is one line on standard error when the operator can remove its
 * cause, else the error with its stack.
 *
 * @param readSettings reads and checks its variables. @throws ConfigurationError
 * @param run resolves with the exit code.
 * @param failure exit code of a failure; default: 1.
 */
export const runCommand = async <Settings extends Connections>(
  name: string,
  readSettings: () => Settings,
  run: (settings: Settings) => Promise<number>,
  failure = 1,
): Promise<void> => {
  let settings: Settings | undefined;
  try {
    settings = readSettings();
    process.exitCode = await run(settings);
  } catch (error) {
    const line = explainFailedStart(error, settings);
    process.stderr.write(`${name}: ${line ?? inspect(error)}\n`);
    process.exitCode = failure;
  }
};
