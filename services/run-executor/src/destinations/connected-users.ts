import { Pace, ratesOf, type TakeTokens } from '@penstock/rates';
import type {
  Answer,
  CallContext,
  OutgoingUser,
  Settings,
  UpsertResult,
  UserDestination,
  UserSource,
} from '@penstock/connectors';
import type { ExportDestination, RunStep } from '@penstock/contracts';
import {
  align,
  type RecordValue,
  resolvePath,
  type Schema,
  textOf,
  type Type,
} from '@penstock/schema';
import { Away } from '../engine/away';
import type {
  Match,
  MatchingValue,
  OpenedApplication,
  UserApplication,
} from '../engine/user-application';
import { WholeRunError } from '../engine/whole-run-error';
import { namesIn, schemaOnly, schemaWithout, valueAt } from '../pipelines/schema-parts';
import { withDeadline } from '../sources/with-deadline';
import { answerWithoutValues, reasonWithoutUsers } from './reason-without-users';

/** An application with the settings that its connection has now. */
export interface ConnectedApplication {
  readonly source: UserSource;
  readonly destination: UserDestination;
  readonly settings: Settings;
  readonly context: Omit<CallContext, 'signal'>;
  /** Higher with each change of the settings. */
  readonly version: number;
}

/** The users of an application, opened anew for each call. */
export interface ConnectedUsersOptions {
  /** @throws WholeRunError */
  readonly connected: () => ConnectedApplication;
  readonly to: Extract<ExportDestination, { kind: 'application' }>;
  readonly outSchema: Schema;
  /** Milliseconds for each call. */
  readonly deadlineMs: number;
  readonly takeTokens: TakeTokens;
}

/** Of look-ups that find fewer at a time, reading all users is faster. */
const MIN_LOOKED_UP = 50;

const isUnauthorized = (status: number | undefined): boolean => status === 401 || status === 403;

const valueOf = <T>(answer: Answer<T>, step: RunStep): T => {
  if (answer.kind === 'answered') return answer.value;
  if (answer.kind === 'rejected' || isUnauthorized(answer.status))
    throw new WholeRunError(step, 'Rejected', answer.reason);
  throw new Away(answer.reason, answer.retryAfterMs);
};

/** @throws WholeRunError naming every difference. */
const checkDifferences = (differences: ReturnType<typeof align>): void => {
  if (differences.length === 0) return;
  const message = differences.map((each) => each.message).join('; ');
  throw new WholeRunError('OutputValidation', 'SchemaNotAligned', message);
};

/** The schema of the property at a path alone, without its flags. */
const typeAt = (schema: Schema, path: string): Schema => {
  const property = resolvePath(schema, path);
  const flags = {
    ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: false },
  };
  const properties = property === undefined ? [] : [{ ...property, ...flags, name: path }];
  return { kind: 'object', properties };
};

/** The users of an application that an export writes. */
export class ConnectedUsers implements UserApplication {
  /** Of the properties that users have there, which reasons may have. */
  private names: ReadonlySet<string> = new Set();

  constructor(private readonly options: ConnectedUsersOptions) {}

  async open(signal: AbortSignal): Promise<OpenedApplication> {
    const { connected, to, outSchema } = this.options;
    const { source, destination, settings } = connected();
    const { out } = to.matching;
    const users = valueOf(
      await this.call(signal, (context) => source.schema(settings, context)),
      'OutputValidation',
    );
    const wanted = valueOf(
      await this.call(signal, (context) => destination.schema(settings, context)),
      'OutputValidation',
    );
    checkDifferences(align(typeAt(outSchema, out), typeAt(users, out), null));
    // Who only changes users may find them by what cannot be written.
    const isFoundOnly = to.mode === 'UpdateOnly' && resolvePath(wanted, out) === undefined;
    const schema = isFoundOnly ? schemaWithout(outSchema, out) : outSchema;
    checkDifferences(align(schema, wanted, to.mode));
    this.names = new Set([users, wanted, outSchema].flatMap((each) => namesIn(each)));
    const { type } = resolvePath(users, out) ?? {};
    if (type === undefined) throw new TypeError('a property that is there is not found');
    return this.opened(schema, schemaOnly(users, out), type, await this.lookUpSize(signal));
  }

  private opened(
    schema: Schema,
    userSchema: Schema,
    type: Type,
    lookUpSize: number,
  ): OpenedApplication {
    const { connected, to } = this.options;
    const { destination, settings, context } = connected();
    const limits = destination.limits(settings);
    const { maxUsers, concurrency } = limits;
    const pace = new Pace(ratesOf(context.connection, limits), this.options.takeTokens);
    const textIn = (user: RecordValue): string | undefined => {
      const value = valueAt(user, to.matching.out);
      return value === undefined || value === null ? undefined : textOf(type, value);
    };
    return {
      ...{ userSchema, maxUsers, concurrency, textOf: textIn },
      ...{ canFind: lookUpSize > 0, isLookedUp: lookUpSize >= MIN_LOOKED_UP },
      findsRepetitions: destination.findsRepetitions,
      find: (values, signal) => this.find(values, type, lookUpSize, pace, signal),
      upsert: (users, signal) => this.upsert({ schema, users }, pace, signal),
    };
  }

  /** @returns values of one look-up; 0: users cannot be looked up by the property */
  private async lookUpSize(signal: AbortSignal): Promise<number> {
    const { connected, to } = this.options;
    const { destination, settings } = connected();
    const { lookUp } = destination;
    if (lookUp === undefined) return 0;
    const properties = valueOf(
      await this.call(signal, (context) => lookUp.properties(settings, context)),
      'OutputValidation',
    );
    return properties.includes(to.matching.out) ? lookUp.maxValues : 0;
  }

  private async find(
    values: readonly MatchingValue[],
    type: Type,
    size: number,
    pace: Pace,
    signal: AbortSignal,
  ): Promise<readonly Match[]> {
    const { to } = this.options;
    const found: Match[] = [];
    for (let from = 0; from < values.length; from += size) {
      await pace.turn(signal);
      const part = values.slice(from, from + size);
      const wanted = part.map(({ value }) => value);
      const answer = await this.withNewest(({ destination: { lookUp }, settings }) =>
        this.call(signal, (context) => {
          if (lookUp === undefined) throw new TypeError('users cannot be looked up');
          return lookUp.find(to.matching.out, wanted, settings, context);
        }),
      );
      const texts = part.map(({ text }) => text);
      const users = valueOf(answerWithoutValues(answer, texts, this.names), 'Finalize');
      found.push(...users.map(({ id, value }) => ({ id, text: textOf(type, value) })));
    }
    return found;
  }

  private async upsert(
    batch: { readonly schema: Schema; readonly users: readonly OutgoingUser[] },
    pace: Pace,
    signal: AbortSignal,
  ): Promise<UpsertResult> {
    await pace.turn(signal);
    return this.withNewest((used) => this.sent(batch, used, signal));
  }

  /** Asks once more with newer settings, when the application does not know who asks. */
  private async withNewest<T extends { readonly kind: string; readonly status?: number }>(
    ask: (used: ConnectedApplication) => Promise<T>,
  ): Promise<T> {
    const { connected } = this.options;
    const used = connected();
    const answer = await ask(used);
    const isRefused = answer.kind === 'unavailable' && isUnauthorized(answer.status);
    const now = isRefused ? connected() : used;
    return now.version === used.version ? answer : ask(now);
  }

  private async sent(
    { schema, users }: { readonly schema: Schema; readonly users: readonly OutgoingUser[] },
    { destination, settings }: ConnectedApplication,
    signal: AbortSignal,
  ): Promise<UpsertResult> {
    const mayWrite = (): boolean => !signal.aborted;
    try {
      const result = await this.call(signal, (context) =>
        destination.upsert({ schema, users }, settings, { ...context, mayWrite }),
      );
      return reasonWithoutUsers(result, users, schema, this.names);
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      const { message: reason } = error;
      return { kind: 'unavailable', reason, taken: users.length, executed: 'unknown' };
    }
  }

  /** @throws Away, WholeRunError, or the signal's reason. */
  private async call<T>(
    signal: AbortSignal,
    work: (context: CallContext) => Promise<T>,
  ): Promise<T> {
    const { connected, deadlineMs } = this.options;
    const { context } = connected();
    try {
      return await withDeadline(deadlineMs, signal, (until) => work({ ...context, signal: until }));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Away || error instanceof WholeRunError) throw error;
      throw new WholeRunError('Finalize', 'ConnectorFailed', 'the connector has failed', {
        cause: error,
      });
    }
  }
}
