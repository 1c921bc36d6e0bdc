import { Pace, ratesOf, type TakeTokens } from '@penstock/rates';
import type {
  Answer,
  ApplicationUser,
  CallContext,
  Settings,
  UserPage,
  UserSource,
} from '@penstock/connectors';
import type { RunPosition } from '@penstock/contracts';
import { canonicalDateTime, type Schema } from '@penstock/schema';
import { Away } from '../engine/away';
import { microtimeOf } from '../engine/microtime';
import type {
  ReadingWanted,
  RecordFault,
  RecordReading,
  RecordSource,
  SourcePage,
  SourceRecord,
} from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import { withDeadline } from './with-deadline';

/** An application whose users are read. */
export interface ApplicationSourceOptions {
  readonly source: UserSource;
  readonly settings: Settings;
  readonly context: Omit<CallContext, 'signal'>;
  /** Milliseconds for each call. */
  readonly deadlineMs: number;
  readonly takeTokens: TakeTokens;
  /** Whether its connection has other settings by now: what it refuses may be tried again with them. */
  readonly hasNewerSettings: () => boolean;
  /**
   * Whether reading may begin anew, since a page is not known any more that was to be read next. Asked each time, so that an
   * application that refuses the page for ever is not read for ever.
   */
  readonly mayBeginAnew: () => boolean;
}

const NO_ID: RecordFault = { code: 'InvalidId', message: 'the application returns no id' };

const faultOf = ({ id, fault }: ApplicationUser, at: number): RecordFault | null => {
  if (id === '') return { ...NO_ID, place: `user ${String(at + 1)} of a page` };
  return fault === undefined ? null : { code: 'InvalidValue', message: fault };
};

/** @param at place of the user in its page, from 0 */
const recordOf = (user: ApplicationUser, at: number): SourceRecord => ({
  id: user.id === '' ? null : user.id,
  updatedAt: user.updatedAt === null ? null : microtimeOf(user.updatedAt),
  values: user.values,
  fault: faultOf(user, at),
});

/** A user of a page, and its place there. */
interface Placed {
  readonly record: SourceRecord;
  readonly at: number;
}

/**
 * What is given of a page of which users were given before: all of them, since others may have changed places with them
 * meanwhile. Those without an id cannot be told apart: they are given once.
 */
const givenAgain = (users: readonly ApplicationUser[], before: number): readonly Placed[] =>
  users
    .map((user, at) => ({ record: { ...recordOf(user, at), mayBeRepeated: true }, at }))
    .filter(({ record, at }) => at >= before || record.id !== null);

/** The users of an application, page by page. A place is the cursor of a page and the number of users before it there. */
export class ApplicationRecords implements RecordSource {
  private pace: Pace;

  constructor(private readonly options: ApplicationSourceOptions) {
    this.pace = new Pace([], options.takeTokens);
  }

  async open(wanted: ReadingWanted): Promise<RecordReading> {
    const { source, settings, context: called, takeTokens } = this.options;
    const limits = source.limits(settings, wanted.changedSince !== null);
    this.pace = new Pace(ratesOf(called.connection, limits), takeTokens);
    await this.pace.turn(wanted.signal);
    const schema = this.valueOf(
      await this.call(wanted, (context) => source.schema(settings, context)),
    );
    const { from } = wanted;
    const cursor = from.kind === 'page' ? from.cursor : '';
    const first = await this.read(wanted, cursor);
    const isGone = first.kind === 'rejected' && cursor !== '';
    return {
      schema,
      warnings: [],
      restarted: isGone ? 'the application does not know the page any more' : null,
      pages: isGone
        ? this.pages(wanted, { kind: 'start' }, undefined)
        : this.pages(wanted, from, first),
      close: () => Promise.resolve(),
    };
  }

  private async *pages(
    wanted: ReadingWanted,
    from: RunPosition,
    first: Answer<UserPage> | undefined,
  ): AsyncGenerator<SourcePage> {
    let answer = first;
    let offset = from.kind === 'page' ? from.offset : 0;
    for (let cursor: string | null = from.kind === 'page' ? from.cursor : ''; cursor !== null;) {
      const at: string = cursor;
      const page = answer ?? (await this.next(wanted, at));
      const { users, next, total }: UserPage = this.valueOf(page);
      answer = undefined;
      if (users.length === 0 && next !== null)
        throw new WholeRunError('Receive', 'EmptyPage', 'the application gives an empty page');
      const before = offset;
      const given: readonly Placed[] =
        before > 0
          ? givenAgain(users, before)
          : users.map((user, place) => ({ record: recordOf(user, place), at: place }));
      const positionAfter = (count: number): RunPosition =>
        count < given.length || next === null
          ? { kind: 'page', cursor: at, offset: Math.max(before, (given[count - 1]?.at ?? -1) + 1) }
          : { kind: 'page', cursor: next, offset: 0 };
      if (given.length > 0)
        yield {
          records: given.map(({ record }) => record),
          positionAfter,
          extent: { total: total ?? null, share: null },
        };
      offset = 0;
      cursor = next;
    }
  }

  /** As {@link read}, behind other pages. @throws Away when its place is to be opened again, to begin anew there. */
  private async next(
    wanted: ReadingWanted & { readonly schema: Schema },
    cursor: string,
  ): Promise<Answer<UserPage>> {
    const answer = await this.read(wanted, cursor);
    const isGone = answer.kind === 'rejected' && cursor !== '';
    if (isGone && this.options.mayBeginAnew()) throw new Away(answer.reason);
    return answer;
  }

  /** @throws Away, WholeRunError */
  private valueOf<T>(answer: Answer<T>): T {
    if (answer.kind === 'answered') return answer.value;
    const isUnauthorized =
      answer.kind === 'unavailable' && (answer.status === 401 || answer.status === 403);
    if (isUnauthorized && this.options.hasNewerSettings()) throw new Away(answer.reason);
    if (isUnauthorized || answer.kind === 'rejected')
      throw new WholeRunError('Receive', 'Rejected', answer.reason);
    throw new Away(answer.reason, answer.retryAfterMs);
  }

  private async read(
    wanted: ReadingWanted & { readonly schema: Schema },
    cursor: string,
  ): Promise<Answer<UserPage>> {
    await this.pace.turn(wanted.signal);
    const { source, settings } = this.options;
    const { schema, changedSince: since } = wanted;
    const changedSince =
      since === null || !source.readsChanges ? null : (canonicalDateTime(since) ?? null);
    return this.call(wanted, (context) =>
      source.read({ schema, changedSince, cursor }, settings, context),
    );
  }

  private call<T>(
    { signal }: ReadingWanted,
    work: (context: CallContext) => Promise<T>,
  ): Promise<T> {
    const { context, deadlineMs } = this.options;
    return withDeadline(deadlineMs, signal, (until) => work({ ...context, signal: until }));
  }
}
