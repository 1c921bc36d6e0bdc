import type { RunStep } from '@penstock/contracts';

/** A run cannot go on, and fails: at which step and why. The message is for people and holds no value and no secret. */
export class WholeRunError extends Error {
  override readonly name = 'WholeRunError';
  constructor(
    readonly step: RunStep,
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
