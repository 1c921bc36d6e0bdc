import type { Program, Refusal } from '../wire/messages';

/** A language runtime for one program. All methods block: its thread does nothing else. */
export interface Engine {
  /** Evaluates the source. @returns the refusal when it defines no function. */
  load(program: Program): Refusal | undefined;
  /**
   * Runs the function on one record.
   *
   * @param record JSON in UTF-8.
   * @returns the letter of the answer and its text.
   * @throws OutOfMemory; any other error means that the engine is broken.
   */
  call(record: Uint8Array): string;
  /** Returns and clears the console output. */
  takeConsole(): string;
}

/** The guest has used up its memory. Its state must not be used any more. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}
