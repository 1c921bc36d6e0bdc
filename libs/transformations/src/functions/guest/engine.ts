import type { Program, Refusal } from '../wire/messages';

/** One language, ready for one program. Everything blocks: its thread does nothing else. */
export interface Engine {
  /** Evaluates the source. @returns why it gives no function, or undefined. */
  load(program: Program): Refusal | undefined;
  /**
   * Runs the function on one record.
   *
   * @param record JSON in UTF-8.
   * @returns the letter of the answer and its text.
   * @throws OutOfMemory; anything else that is thrown means that the engine is broken.
   */
  call(record: Uint8Array): string;
  /** What was written to the console since it was last taken. */
  takeConsole(): string;
}

/** The guest has used up its memory. Its state is not to be trusted any more. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}
