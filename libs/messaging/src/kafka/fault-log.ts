import type { KafkaLogger } from './kafka-logger';
import { graceMs } from './passing-faults';

/** A fault that lasts is logged once in this time. */
const REPEAT_MS = 60_000;
/** A fault that has not come again for this time has passed. Retries are at most 5 s apart, a session lasts 15 s. */
const PASSED_MS = 20_000;
/** Kinds of faults that are remembered: texts of errors may contain ids. */
const MAX_KINDS = 500;

/** One kind of fault: the same line with the same error. */
interface Kind {
  sinceMs: number;
  lastMs: number;
  /** When it was last printed. */
  printedMs: number;
  /** Lines that were held back since. */
  alike: number;
}

type Fields = Parameters<KafkaLogger>[2];

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : '';

/** Lines of kafkajs, and those of the adapter that name an error, come again with every retry. */
const comesAgain = (message: string, fields: Fields): boolean =>
  message.startsWith('kafkajs') || 'error' in fields;

/**
 * Decides which lines of kafkajs and of the adapter's retries somebody must see. Faults that pass by themselves, such
 * as a group without a coordinator while the brokers are starting, are held back as debug lines until they have lasted
 * for their time of grace. What is printed is printed once a minute, with the number of lines that were `alike` and the
 * seconds for which it has lasted. Lines that are no retry (records that are gone) are always printed.
 */
export class FaultLog {
  private readonly kinds = new Map<string, Kind>();

  constructor(
    private readonly logger: KafkaLogger,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Logs a line, or holds it back. */
  readonly log: KafkaLogger = (level, message, fields) => {
    if (level === 'debug' || !comesAgain(message, fields)) {
      this.logger(level, message, fields);
      return;
    }
    const now = this.nowMs();
    const kind = this.kindOf(`${level} ${message} ${textOf(fields['error'])}`, now);
    const isPassing = level === 'warn' && now - kind.sinceMs < graceMs(message, fields['error']);
    if (isPassing || now - kind.printedMs < REPEAT_MS) {
      kind.alike += 1;
      this.logger('debug', message, fields);
      return;
    }
    this.logger(level, message, { ...fields, ...this.history(kind, now) });
    kind.printedMs = now;
    kind.alike = 0;
  };

  private history({ alike, sinceMs }: Kind, now: number): Fields {
    return alike > 0 ? { alike, lastedSeconds: Math.round((now - sinceMs) / 1000) } : {};
  }

  private kindOf(key: string, now: number): Kind {
    const known = this.kinds.get(key);
    if (known && now - known.lastMs > PASSED_MS) {
      known.sinceMs = now;
      known.alike = 0;
    }
    const kind = known ?? { sinceMs: now, lastMs: now, printedMs: -Infinity, alike: 0 };
    kind.lastMs = now;
    // The least recent kind is the first.
    this.kinds.delete(key);
    this.kinds.set(key, kind);
    const [first] = this.kinds.keys();
    if (this.kinds.size > MAX_KINDS && first !== undefined) this.kinds.delete(first);
    return kind;
  }
}
