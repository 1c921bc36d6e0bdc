import { createHash, randomUUID } from 'node:crypto';
import type { RecordValue } from '@penstock/schema';
import { answerBatch, type NotLoaded, type Outcome } from './answer-batch';
import { FunctionRefused } from './function-errors';
import type {
  CircuitState,
  FunctionBatch,
  FunctionCompileOptions,
  FunctionResult,
  FunctionRunner,
  FunctionRunOptions,
} from './function-runner';
import type { Sandbox } from './sandbox';
import { untilAborted } from './until-aborted';
import { FunctionCodec } from './values/function-codec';
import { plainException } from './values/plain-exception';
import { RecordFailure } from './values/record-failure';
import { shownResult } from './values/shown-result';
import type {
  FunctionLanguage,
  FunctionSchemas,
  TransformationFunction,
} from './values/transformation-function';
import type { Batch, Cause, Program } from './wire/messages';

/** What every batch of a definition needs. */
interface Prepared {
  readonly schemas: FunctionSchemas;
  readonly codec: FunctionCodec;
  readonly program: Program;
  /**
   * Hash of the program, part of the instance's key: a wrong `isolation` cannot lead to an instance of another program.
   */
  readonly digest: string;
}

const prepare = (definition: TransformationFunction, schemas: FunctionSchemas): Prepared => {
  const { language, source } = definition;
  const codec = new FunctionCodec(definition, schemas);
  const program = { language, source, plan: codec.plan };
  const digest = createHash('sha256').update(JSON.stringify(program)).digest('hex');
  return { schemas, codec, program, digest };
};

const withGiven = ({ step, message, withoutValue }: RecordFailure, text: string): RecordFailure =>
  new RecordFailure(step, message, { withoutValue, given: shownResult(text) });

const workspaceOf = (isolation: string): string => isolation.split('/', 1)[0] ?? '';

/** Runs functions in a sandbox, by their definitions. */
export class SandboxedFunctions implements FunctionRunner {
  /** Prepared by the first batch. Definitions and schemas must not change. */
  private readonly known = new WeakMap<TransformationFunction, Prepared>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly timeLimitMs: number,
  ) {}

  async compile(
    definition: TransformationFunction,
    schemas: FunctionSchemas,
    { workspace = '', signal }: FunctionCompileOptions = {},
  ): Promise<void> {
    const { program } = this.prepared(definition, schemas);
    const { timeLimitMs } = this;
    const batch = { instance: randomUUID(), workspace, program, timeLimitMs, once: true };
    const attempt = this.sandbox.attempt(batch, [], () => undefined, signal);
    const end = await untilAborted(attempt, signal);
    if (end.refusal ?? end.cause) throw this.refused(definition.language, end);
  }

  async run(
    batch: FunctionBatch,
    records: readonly RecordValue[],
    { signal }: FunctionRunOptions = {},
  ): Promise<FunctionResult> {
    signal?.throwIfAborted();
    const { definition, schemas, purpose } = batch;
    const prepared = this.prepared(definition, schemas);
    const { codec } = prepared;
    const { language } = definition;
    const request = this.requestOf(batch, prepared);
    const written = records.map((record) => codec.encode(record));
    const answered = answerBatch(written, (some, answer) =>
      this.sandbox.attempt(request, some, answer, signal),
    );
    const result = await untilAborted(answered, signal);
    if (!('outcomes' in result)) {
      const failure = new RecordFailure('Transformation', this.refused(language, result).message);
      return { records: records.map(() => failure), console: '' };
    }
    const read = (outcome: Outcome): RecordValue | RecordFailure => {
      if (outcome.kind !== 'result') return this.failure(language, outcome);
      const decoded = codec.decode(outcome.text, purpose);
      const isTrial = batch.once === true && decoded instanceof RecordFailure;
      return isTrial ? withGiven(decoded, outcome.text) : decoded;
    };
    return { records: result.outcomes.map(read), console: result.console };
  }

  circuitOf(batch: FunctionBatch): CircuitState {
    const prepared = this.prepared(batch.definition, batch.schemas);
    return this.sandbox.circuitOf(this.requestOf(batch, prepared).instance);
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  private requestOf({ isolation, once = false }: FunctionBatch, prepared: Prepared): Batch {
    return {
      instance: `${prepared.digest} ${isolation}`,
      workspace: workspaceOf(isolation),
      program: prepared.program,
      timeLimitMs: this.timeLimitMs,
      once,
    };
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
    const text = refusal?.text ?? this.describe(cause);
    const { message } = new RecordFailure('Transformation', `${language}: ${text}`);
    return new FunctionRefused(message, refusal?.line ?? 0, refusal?.column ?? 0);
  }

  private failure(
    language: FunctionLanguage,
    outcome: Exclude<Outcome, { kind: 'result' }>,
  ): RecordFailure {
    const isEnded = outcome.kind === 'ended';
    const reason = isEnded ? this.describe(outcome.cause) : outcome.text;
    const plain = isEnded ? reason : plainException(reason);
    return new RecordFailure('Transformation', `${language}: ${reason}`, {
      withoutValue: `${language}: ${plain}`,
    });
  }

  private describe(cause: Cause): string {
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
