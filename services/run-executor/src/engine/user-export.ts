import { createHash } from 'node:crypto';
import type { OutgoingUser } from '@penstock/connectors';
import type { RunId, RunPosition } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';
import type { Batch, BatchLimits } from './batches';
import { ExportBatches } from './export-batches';
import {
  failRecord,
  keyOf,
  type MatchedProfile,
  MatchedProfiles,
  type MatchingParts,
} from './matched-profiles';
import { readMatches, USERS_START } from './match-reading';
import { readToEnd } from './read-to-end';
import { type RecordSource, type SourceRecord, UNKNOWN_EXTENT } from './record-source';
import { EXPORTED } from './row-export';
import type { RunSoFar } from './run-ledger';
import type { RunCompletion } from './run-performance';
import type { Steps } from './steps';
import { ALL_STEPS, Tally } from './tally';
import type { MatchingValue, OpenedApplication, UserApplication } from './user-application';
import { type SentUser, UserSending } from './user-sending';

/** What an export to an application is performed with. */
export interface UserExportParts extends MatchingParts {
  /** Profiles in the order of their ids; where the reading goes on is the id of the last one. */
  readonly source: RecordSource;
  readonly inSchema: Schema;
  /** Users of the application, page by page. */
  readonly users: RecordSource;
  readonly application: UserApplication;
  /** What is made of profiles whose user is created, and of others. */
  readonly create: Steps;
  readonly update: Steps;
  /** Of what is made. */
  readonly outSchema: Schema;
  /** Adds the value by which users are matched to what is made of a profile. */
  readonly withMatching: (
    values: RecordValue,
    matching: MatchingValue,
    isNew: boolean,
  ) => RecordValue;
  readonly limits: BatchLimits;
}

/** Before every profile. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const PROFILES_START: RunPosition = { kind: 'profile', id: FIRST_ID };

/** What was made of a profile, and where it goes. */
interface MadeProfile extends MatchedProfile {
  readonly made: RecordValue;
}

/** Whether nothing is given, also within objects. */
const isEmpty = (record: RecordValue, { properties }: Schema): boolean =>
  properties.every(({ name, type }) => {
    const value = record[name];
    if (value === undefined || value === null) return value === undefined;
    return type.kind === 'object' && isEmpty(value as RecordValue, type);
  });

/**
 * Performs an export to an application under one claim: finds out which values several profiles have, reads the users of the
 * application where they cannot be looked up, and sends profiles batch by batch, from where the last claim has come to.
 */
export class UserExport {
  private readonly batches: ExportBatches;

  constructor(
    private readonly run: RunSoFar,
    private readonly parts: UserExportParts,
    private readonly signal: AbortSignal,
  ) {
    this.batches = new ExportBatches(run, parts.ledger);
  }

  /** @throws WholeRunError, LeaseLost, Outdated, the signal's reason. */
  async perform(): Promise<RunCompletion> {
    const { patience, application } = this.parts;
    const opened = await patience.insist('Finalize', () => application.open(this.signal));
    let { position } = this.run;
    if (position.kind === 'start' || position.kind === 'values') {
      await this.compareValues(position);
      position = opened.isLookedUp ? PROFILES_START : USERS_START;
      await this.settle(new Tally(ALL_STEPS), position);
    }
    if (position.kind === 'page') {
      const parts = { ...this.parts, batches: this.batches };
      await readMatches(position, opened, parts, this.signal);
      position = PROFILES_START;
      await this.settle(new Tally(ALL_STEPS), position);
    }
    await this.sendProfiles(position, opened);
    return EXPORTED;
  }

  /** Registers the matching value of each profile, so that those of several are known before any is sent. */
  private async compareValues(position: RunPosition): Promise<void> {
    const { matchingOf, ledger, patience } = this.parts;
    const from: RunPosition =
      position.kind === 'values' ? { ...position, kind: 'profile' } : position;
    await this.readProfiles(
      from,
      ({ isLeftOut }) => isLeftOut !== true,
      async (batch) => {
        const values = batch.records.flatMap(({ id, values: profile }) => {
          const matching = matchingOf(profile);
          const isValue = matching !== null && 'text' in matching;
          return id === null || !isValue ? [] : [{ key: keyOf(matching), profile: id }];
        });
        if (values.length > 0)
          await patience.insist('Finalize', () => ledger.registerValues(values));
        if (batch.position.kind !== 'profile') throw new TypeError('profiles go by their ids');
        await this.settle(new Tally(ALL_STEPS), { ...batch.position, kind: 'values' });
      },
    );
  }

  private async sendProfiles(from: RunPosition, application: OpenedApplication): Promise<void> {
    const matched = new MatchedProfiles(application, this.parts, this.signal);
    await this.readProfiles(
      from,
      () => true,
      async ({ records, position, extent }) => {
        const tally = new Tally(ALL_STEPS);
        const made = await this.made(await matched.match(records, tally), tally);
        await this.send(made, application, tally);
        await this.settle(tally, position, extent);
      },
    );
  }

  private readProfiles(
    from: RunPosition,
    isWanted: (record: SourceRecord) => boolean,
    handle: (batch: Batch) => Promise<void>,
  ): Promise<void> {
    const { source, inSchema: schema, limits, patience } = this.parts;
    return readToEnd({
      source,
      schema,
      from,
      limits,
      patience,
      signal: this.signal,
      isWanted,
      handle,
    });
  }

  /** What profiles become for their users; those that fail are counted, and those of which nothing is sent. */
  private async made(
    profiles: readonly MatchedProfile[],
    tally: Tally,
  ): Promise<readonly MadeProfile[]> {
    const { create, update } = this.parts;
    const isNew = ({ users }: MatchedProfile): boolean => users.length === 0;
    return [
      ...(await this.madeBy(create, profiles.filter(isNew), tally)),
      ...(await this.madeBy(
        update,
        profiles.filter((each) => !isNew(each)),
        tally,
      )),
    ];
  }

  private async madeBy(
    steps: Steps,
    profiles: readonly MatchedProfile[],
    tally: Tally,
  ): Promise<readonly MadeProfile[]> {
    if (profiles.length === 0) return [];
    const values = profiles.map((profile) => profile.values);
    const results = await this.parts.patience.insist('Transformation', () =>
      steps.apply(values, this.signal),
    );
    return profiles.flatMap((profile, index): MadeProfile[] => {
      const result = results[index];
      if (result === undefined) throw new TypeError('a profile without a result');
      if (!('values' in result)) failRecord(tally, result.step, result.fault, profile.id);
      else if (isEmpty(result.values, this.parts.outSchema)) tally.count('Merged');
      else return [{ ...profile, made: result.values }];
      return [];
    });
  }

  private async send(
    profiles: readonly MadeProfile[],
    application: OpenedApplication,
    tally: Tally,
  ): Promise<void> {
    const { ledger, patience } = this.parts;
    const created = profiles.filter(({ users }) => users.length === 0);
    const keys = created.map(({ matching }) => keyOf(matching));
    await patience.insist('Finalize', () => ledger.markCreated(this.batches.number, keys));
    const users = new Map(profiles.map((profile) => [profile, this.sentUsers(profile)]));
    const sending = new UserSending(application, patience, this.signal);
    const doubtful = created.filter(({ mayBeCreated }) => mayBeCreated && !application.isLookedUp);
    const settled = await sending.settleDoubtful(doubtful.flatMap((each) => users.get(each) ?? []));
    const all = [...users.values()].flat();
    const faults = await sending.send(all.filter((each) => !settled.has(each)));
    for (const [{ id }, sent] of users) {
      const fault = sent.map((each) => faults.get(each)).find((each) => each !== undefined);
      if (fault === undefined) tally.count('Merged');
      else failRecord(tally, 'Finalize', fault, id);
    }
  }

  private sentUsers({ id, made, matching, users }: MadeProfile): readonly SentUser[] {
    const { withMatching } = this.parts;
    const sent = (user: string | null): SentUser => {
      const values = withMatching(made, matching, user === null);
      const outgoing: OutgoingUser = { id: user, values, idempotencyKey: this.key(id, user) };
      return { user: outgoing, matching };
    };
    return users.length === 0 ? [sent(null)] : users.map(sent);
  }

  private key(profile: string, user: string | null): string {
    const of: readonly [RunId, string, string] = [this.run.run, profile, user ?? ''];
    return createHash('sha256').update(JSON.stringify(of)).digest('base64url');
  }

  private async settle(
    counts: Tally,
    position: RunPosition,
    extent = UNKNOWN_EXTENT,
  ): Promise<void> {
    const { patience } = this.parts;
    this.signal.throwIfAborted();
    await this.batches.settle({ counts, position, extent, warnings: [] }, (work) =>
      patience.insist('Finalize', work),
    );
    patience.progress();
  }
}
