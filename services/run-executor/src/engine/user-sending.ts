import type { OutgoingUser, UpsertFailure } from '@penstock/connectors';
import { Away } from './away';
import type { Patience } from './patience';
import type { RecordFault } from './record-source';
import type { MatchingValue, OpenedApplication } from './user-application';
import { WholeRunError } from './whole-run-error';

/** Requests of one run at once. */
const MAX_AT_ONCE = 4;

/** A user on the way, and the value by which it can be looked up. */
export interface SentUser {
  readonly user: OutgoingUser;
  readonly matching: MatchingValue;
}

/** Why users were not written; those that are not in it were. */
export type UserFaults = ReadonlyMap<SentUser, RecordFault>;

const UNCONFIRMED: RecordFault = {
  code: 'Unconfirmed',
  message: 'it is not known whether the application has created the user',
};

/** Statuses by which an application refuses whoever asks. */
const UNAUTHORIZED = new Set([401, 403]);

/**
 * Sends users to an application, in requests of its own size, until each is written or refused. A request that may have
 * created users is repeated only where the application finds repetitions: else its users are looked up before, or given up.
 */
export class UserSending {
  private readonly faults = new Map<SentUser, RecordFault>();
  private isOver = false;

  constructor(
    private readonly application: OpenedApplication,
    private readonly patience: Patience,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws WholeRunError when the application takes nothing for too long; the signal's reason. */
  async send(users: readonly SentUser[]): Promise<UserFaults> {
    const { maxUsers, concurrency } = this.application;
    // Applications that create and change users in different requests take more of them at once so.
    const isNew = ({ user }: SentUser): boolean => user.id === null;
    const ordered = [...users.filter(isNew), ...users.filter((each) => !isNew(each))];
    const parts: (readonly SentUser[])[] = [];
    for (let from = 0; from < ordered.length; from += maxUsers)
      parts.push(ordered.slice(from, from + maxUsers));
    const next = parts[Symbol.iterator]();
    const sendOn = async (): Promise<void> => {
      for (const part of next) await this.sendPart(part);
    };
    const atOnce = Math.min(concurrency, MAX_AT_ONCE, parts.length);
    try {
      await Promise.all(Array.from({ length: atOnce }, sendOn));
    } finally {
      this.isOver = true;
    }
    return this.faults;
  }

  /**
   * Finds out which of users that may have been created are there.
   *
   * @returns those that are settled: there, or given up. The others can be created.
   */
  async settleDoubtful(users: readonly SentUser[]): Promise<ReadonlySet<SentUser>> {
    if (users.length === 0 || this.application.findsRepetitions) return new Set();
    if (!this.application.canFind) {
      for (const each of users) this.faults.set(each, UNCONFIRMED);
      return new Set(users);
    }
    const values = users.map(({ matching }) => matching);
    const find = () => this.application.find(values, this.signal);
    const found = await this.patience.beside().insist('Finalize', find);
    const texts = new Set(found.map(({ text }) => text));
    return new Set(users.filter(({ matching }) => texts.has(matching.text)));
  }

  private async sendPart(users: readonly SentUser[]): Promise<void> {
    for (let left = users; left.length > 0 && !this.isOver;) left = await this.sendSome(left);
  }

  /** @returns those that are still to be sent */
  private async sendSome(left: readonly SentUser[]): Promise<readonly SentUser[]> {
    this.signal.throwIfAborted();
    const users = left.map(({ user }) => user);
    const result = await this.application.upsert(users, this.signal);
    this.signal.throwIfAborted();
    if (result.kind !== 'answered') return this.failed(left, result);
    this.patience.progress();
    result.outcomes.forEach((outcome, index) => {
      const sent = left[index];
      if (sent !== undefined && outcome.kind === 'rejected')
        this.faults.set(sent, { code: 'Refused', message: outcome.reason });
    });
    return left.slice(Math.max(1, result.outcomes.length));
  }

  private failed(left: readonly SentUser[], failure: UpsertFailure): Promise<readonly SentUser[]> {
    if (failure.kind === 'unavailable') return this.later(left, failure);
    this.patience.progress();
    return this.rejected(left, failure);
  }

  /** What was not executed for one of several users is sent again in halves. */
  private async rejected(
    left: readonly SentUser[],
    { taken, executed, reason }: UpsertFailure,
  ): Promise<readonly SentUser[]> {
    const refused = left.slice(0, Math.max(1, taken));
    if (executed === 'no' && refused.length > 1) {
      const middle = Math.ceil(refused.length / 2);
      await this.sendPart(refused.slice(0, middle));
      await this.sendPart(refused.slice(middle));
    } else for (const each of refused) this.faults.set(each, { code: 'Refused', message: reason });
    return left.slice(refused.length);
  }

  private async later(
    left: readonly SentUser[],
    { taken, executed, reason, status, retryAfterMs }: UpsertFailure,
  ): Promise<readonly SentUser[]> {
    if (status !== undefined && UNAUTHORIZED.has(status))
      throw new WholeRunError('Finalize', 'Rejected', reason);
    await this.patience.wait('Finalize', new Away(reason, retryAfterMs));
    if (executed === 'no') return left;
    const doubtful = left.slice(0, Math.max(1, taken)).filter(({ user }) => user.id === null);
    const settled = await this.settleDoubtful(doubtful);
    if (settled.size > 0) this.patience.progress();
    return left.filter((each) => !settled.has(each));
  }
}
