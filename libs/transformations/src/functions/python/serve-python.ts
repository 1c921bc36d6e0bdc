import type { Allowance } from '../guest/allowance';
import { OutOfMemory } from '../guest/engine';
import type { Inbox } from '../guest/inbox';
import type { JournalWriter } from '../guest/journal';
import type { Report } from '../guest/report';
import { MAX_RESULT_LENGTH } from '../guest/result-limit';
import { ANSWER_LETTERS, type Refusal } from '../wire/messages';
import { unpackTexts } from '../wire/packed-texts';
import { Input, Nowhere, Output } from './descriptors';
import { PRELUDE } from './prelude';
import { runInterpreter } from './system-calls';

const TOO_LARGE = `${ANSWER_LETTERS.error}ValueError: the result is too large`;
const CALL = Buffer.from('C');
const LINE_END = Buffer.from('\n');

/** The guest's answer does not match the request. */
class ForgedAnswer extends Error {
  override readonly name = 'ForgedAnswer';
}

type Expected = 'nothing' | 'loaded' | 'answer' | 'console';

/** Passes jobs of an inbox to an interpreter that reads requests, and reports its answers. */
class Conversation {
  readonly output = new Output(MAX_RESULT_LENGTH);
  private expected: Expected = 'nothing';
  private records: Iterator<Uint8Array> | undefined;
  private started = false;

  constructor(
    private readonly inbox: Inbox,
    private readonly journal: JournalWriter,
    private readonly report: (what: Report) => void,
  ) {}

  /** A read of the next request means that the previous answer is complete: it is the output so far. */
  next(): Uint8Array {
    this.onMessage(this.output.take());
    return this.request();
  }

  private request(): Uint8Array {
    const record = this.records?.next();
    if (record?.done === false) return this.expecting('answer', CALL, record.value);
    if (record) {
      this.records = undefined;
      return this.expecting('console', Buffer.from('F'));
    }
    const job = this.inbox.next();
    if (job.kind === 'load')
      return this.expecting('loaded', Buffer.from(`L${JSON.stringify(job.program)}`));
    this.records = unpackTexts(job.records);
    this.journal.begin();
    return this.request();
  }

  private expecting(expected: Expected, ...request: readonly Uint8Array[]): Uint8Array {
    this.expected = expected;
    return Buffer.concat([...request, LINE_END]);
  }

  private onMessage(message: Buffer | undefined): void {
    if (message === undefined && this.expected === 'answer') return this.journal.append(TOO_LARGE);
    const letter = message?.toString('latin1', 0, 1) ?? '';
    if (letter === 'M') throw new OutOfMemory();
    switch (`${this.expected} ${letter}`) {
      case 'answer R':
      case 'answer E':
        return this.journal.append(message ?? TOO_LARGE);
      case 'nothing ':
        return this.ready();
      case 'loaded L':
        return this.report({ kind: 'loaded' });
      case 'loaded X':
        return this.report({ kind: 'loaded', refusal: JSON.parse(textOf(message)) as Refusal });
      case 'console F':
        return this.report({ kind: 'finished', console: textOf(message) });
      default:
        throw new ForgedAnswer();
    }
  }

  private ready(): void {
    if (this.started) throw new ForgedAnswer();
    this.started = true;
    this.report({ kind: 'ready' });
  }
}

const textOf = (message: Buffer | undefined): string => message?.toString('utf8', 1) ?? '';

/** Dependencies of an interpreter's thread. */
export interface PythonThread {
  readonly module: WebAssembly.Module;
  readonly allowance: Allowance;
  readonly inbox: Inbox;
  readonly journal: JournalWriter;
  readonly report: (what: Report) => void;
}

/** Serves jobs with CPython until the interpreter ends or sends an unexpected answer. */
export const servePython = ({ module, allowance, inbox, journal, report }: PythonThread): void => {
  const conversation = new Conversation(inbox, journal, report);
  const input = new Input(() => conversation.next());
  const descriptors = [input, conversation.output, new Nowhere()] as const;
  runInterpreter(module, PRELUDE, descriptors, allowance);
};
