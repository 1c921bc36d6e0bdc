import { createHash, randomUUID } from 'node:crypto';
import type { RecordValue } from '@penstock/schema';
import type { Purpose } from '../mapping/purpose';
import { answerBatch, type NotLoaded, type Outcome } from './answer-batch';
import { FunctionRefused } from './function-errors';
import { RecordFailure } from './record-failure';
import { Sandbox } from './sandbox';
import type {
  FunctionLanguage,
  FunctionSchemas,
  TransformationFunction,
} from './transformation-function';
import { FunctionCodec } from './values/function-codec';
import type { Batch, Cause, Program } from './wire/messages';

const MIB = 1024 * 1024;

export interface FunctionRunnerOptions {
  /** Of one batch: evaluation of the source, calls and awaits. Default 10,000. */
  readonly timeLimitMs?: number;
  /** Of the guest of one function. Default 256 MiB. */
  readonly memoryLimitBytes?: number;
  /** Functions that are kept ready, and batches that run at a time. Default 16. */
  readonly maxInstances?: number;
  /** Guests of each used language that wait for a function. Default 1. */
  readonly spares?: number;
}

/** Records of one function, for one purpose. */
export interface FunctionBatch {
  /**
   * Names the workspace and the version of the pipeline, or the preview. Batches of different texts never share
   * any state; batches of one text run one after the other.
   */
  readonly isolation: string;
  readonly definition: TransformationFunction;
  readonly schemas: FunctionSchemas;
  readonly purpose: Purpose;
  /** No further batch will come: nothing is kept. Default false. */
  readonly once?: boolean;
}

export interface FunctionResult {
  /** In the order of the records that were given. */
  readonly records: readonly (RecordValue | RecordFailure)[];
  /** The first 32 KiB that the function wrote to its console. */
  readonly console: string;
}

/** Runs functions of users in a process apart. One for each process of ours. */
export interface FunctionRunner {
  /**
   * Evaluates a source without any record.
   *
   * @throws FunctionRefused or SandboxUnavailable.
   */
  compile(definition: TransformationFunction, schemas: FunctionSchemas): Promise<void>;
  /**
   * Transforms records. What fails is a value among the results; it never fails another record.
   *
   * @throws SandboxUnavailable: no record was lost or failed by it.
   */
  run(batch: FunctionBatch, records: readonly RecordValue[]): Promise<FunctionResult>;
  /** Ends the sandbox. What is under way rejects. */
  close(): Promise<void>;
}

export const createFunctionRunner = ({
  timeLimitMs = 10_000,
  memoryLimitBytes = 256 * MIB,
  maxInstances = 16,
  spares = 1,
}: FunctionRunnerOptions = {}): FunctionRunner =>
  new SandboxedFunctions(new Sandbox({ memoryLimitBytes, maxInstances, spares }), timeLimitMs);

/** What every batch of a definition needs. */
interface Prepared {
  readonly schemas: FunctionSchemas;
  readonly codec: FunctionCodec;
  readonly program: Program;
  /** Of the program: another one never meets an instance by a mistake of the caller's. */
  readonly digest: string;
}

const prepare = (definition: TransformationFunction, schemas: FunctionSchemas): Prepared => {
  const { language, source } = definition;
  const codec = new FunctionCodec(definition, schemas);
  const program = { language, source, plan: codec.plan };
  const digest = createHash('sha256').update(JSON.stringify(program)).digest('hex');
  return { schemas, codec, program, digest };
};

class SandboxedFunctions implements FunctionRunner {
  /** Prepared at the first batch. Definitions and schemas do not change. */
  private readonly known = new WeakMap<TransformationFunction, Prepared>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly timeLimitMs: number,
  ) {}

  async compile(definition: TransformationFunction, schemas: FunctionSchemas): Promise<void> {
    const { program } = this.prepared(definition, schemas);
    const end = await this.sandbox.attempt(
      {
        instance: randomUUID(),
        program,
        timeLimitMs: this.timeLimitMs,
        once: true,
      },
      [],
      () => undefined,
    );
    if (end.refusal ?? end.cause) throw this.refused(definition.language, end);
  }

  async run(batch: FunctionBatch, records: readonly RecordValue[]): Promise<FunctionResult> {
    const { definition, isolation, schemas, purpose, once = false } = batch;
    const { codec, program, digest } = this.prepared(definition, schemas);
    const { language } = definition;
    const request: Batch = {
      instance: `${digest} ${isolation}`,
      program,
      timeLimitMs: this.timeLimitMs,
      once,
    };
    const written = records.map((record) => codec.encode(record));
    const result = await answerBatch(written, (some, answer) =>
      this.sandbox.attempt(request, some, answer),
    );
    if (!('outcomes' in result)) {
      const failure = new RecordFailure('Transformation', this.refused(language, result).message);
      return { records: records.map(() => failure), console: '' };
    }
    const read = (outcome: Outcome): RecordValue | RecordFailure =>
      outcome.kind === 'result'
        ? codec.decode(outcome.text, purpose)
        : new RecordFailure('Transformation', `${language}: ${this.reason(outcome)}`);
    return { records: result.outcomes.map(read), console: result.console };
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  private prepared(definition: TransformationFunction, schemas: FunctionSchemas): Prepared {
    const known = this.known.get(definition);
    if (known?.schemas.input === schemas.input && known.schemas.output === schemas.output)
      return known;
    const prepared = prepare(definition, schemas);
    this.known.set(definition, prepared);
    return prepared;
  }

  private refused(
    language: FunctionLanguage,
    { refusal, cause = 'ended' }: NotLoaded,
  ): FunctionRefused {
    const text = refusal?.text ?? this.told(cause);
    const { message } = new RecordFailure('Transformation', `${language}: ${text}`);
    return new FunctionRefused(message, refusal?.line ?? 0, refusal?.column ?? 0);
  }

  private reason(outcome: Exclude<Outcome, { kind: 'result' }>): string {
    return outcome.kind === 'ended' ? this.told(outcome.cause) : outcome.text;
  }

  private told(cause: Cause): string {
    switch (cause) {
      case 'time':
        return `time limit of ${this.timeLimitMs / 1000} s exceeded`;
      case 'memory':
        return 'memory limit exceeded';
      case 'ended':
        return 'process ended';
    }
  }
}
