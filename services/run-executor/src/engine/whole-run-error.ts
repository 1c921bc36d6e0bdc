import type { RunStep } from '@penstock/contracts';
import type { RunErrorCode } from './run-error-codes';

/**
 * A run cannot go on, and fails: at which step and why. The message is for people and holds no value and no secret. It names
 * columns and addresses; the file, the table or the application is told by the step, and what to do by the code.
 */
export class WholeRunError extends Error {
  override readonly name = 'WholeRunError';
  constructor(
    readonly step: RunStep,
    readonly code: RunErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
