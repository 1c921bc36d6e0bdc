import { OutOfMemory } from '../sandbox/engine';
import type { Inbox } from '../sandbox/inbox';
import type { Report } from '../sandbox/report';
import type { Refusal } from '../wire/messages';
import { Input, Nowhere, Output } from './descriptors';
import { PRELUDE } from './prelude';
import { runInterpreter } from './system-calls';

/** Above it a result is not kept. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The guest answered something else than it was asked for. */
class ForgedAnswer extends Error {
  override readonly name = 'ForgedAnswer';
}

type Expected = 'nothing' | 'loaded' | 'answer' | 'console';

/** Between an interpreter that asks for its next line and an inbox that has jobs. */
class Conversation {
  readonly output = new Output(MAX_ANSWER_BYTES);
  private expected: Expected = 'nothing';
  private records: string[] | undefined;
  private started = false;

  constructor(
    private readonly inbox: Inbox,
    private readonly tell: (report: Report) => void,
  ) {}

  next(): Uint8Array<ArrayBuffer> {
    this.hear(this.output.take());
    return new Uint8Array(Buffer.from(`${this.request()}\n`));
  }

  private request(): string {
    const record = this.records?.shift();
    if (record !== undefined) return this.expecting('answer', `C${record}`);
    if (this.records) {
      this.records = undefined;
      return this.expecting('console', 'F');
    }
    const job = this.inbox.next();
    if (job.kind === 'load') return this.expecting('loaded', `L${JSON.stringify(job.program)}`);
    this.records = [...job.records];
    return this.request();
  }

  private expecting(expected: Expected, request: string): string {
    this.expected = expected;
    return request;
  }

  private hear(said: string | undefined): void {
    if (said === undefined && this.expected === 'answer')
      return this.tell({ kind: 'error', text: 'ValueError: the result is too large' });
    const letter = said?.charAt(0) ?? '';
    const rest = said?.slice(1) ?? '';
    if (letter === 'M') throw new OutOfMemory();
    switch (`${this.expected} ${letter}`) {
      case 'nothing ':
        return this.ready();
      case 'loaded L':
        return this.tell({ kind: 'loaded' });
      case 'loaded X':
        return this.tell({ kind: 'loaded', refusal: JSON.parse(rest) as Refusal });
      case 'answer R':
        return this.tell({ kind: 'result', text: rest });
      case 'answer E':
        return this.tell({ kind: 'error', text: rest });
      case 'console F':
        return this.tell({ kind: 'finished', console: rest });
      default:
        throw new ForgedAnswer();
    }
  }

  private ready(): void {
    if (this.started) throw new ForgedAnswer();
    this.started = true;
    this.tell({ kind: 'ready' });
  }
}

/** Serves jobs with CPython until the interpreter ends or says what it was not asked. */
export const servePython = (
  module: WebAssembly.Module,
  inbox: Inbox,
  tell: (report: Report) => void,
): void => {
  const conversation = new Conversation(inbox, tell);
  const input = new Input(() => conversation.next());
  runInterpreter(module, PRELUDE, [input, conversation.output, new Nowhere()]);
};
