import type { Answer, Program, Refusal } from '../wire/messages';

/** One language, ready for one program. Everything blocks: its thread does nothing else. */
export interface Engine {
  /** Evaluates the source. @returns why it gives no function, or undefined. */
  load(program: Program): Refusal | undefined;
  /**
   * Runs the function on one record.
   *
   * @throws OutOfMemory; anything else that is thrown means that the engine is broken.
   */
  call(record: string): Answer;
  /** What was written to the console since it was last taken. */
  takeConsole(): string;
}

/** The guest has used up its memory. Its state is not to be trusted any more. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}
