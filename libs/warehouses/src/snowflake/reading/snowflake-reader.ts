import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import type { EventsPage, EventsWanted } from '../../platform/event-reads';
import type {
  HistoryPage,
  HistoryWanted,
  LinksPage,
  LinksWanted,
  ProfilesPage,
  ProfilesWanted,
  ProfileWanted,
  ScannedProfile,
  ScanPage,
  ScanPageWanted,
  ScanWanted,
  StoredProfile,
} from '../../platform/profile-reads';
import type { ResolvedState } from '../../platform/resolved-reads';
import { WarehouseFault } from '../../platform/warehouse';
import type {
  IdentitiesPage,
  IdentitiesWanted,
  WarehouseReader,
} from '../../platform/warehouse-reader';
import { readEvents } from '../../reading/read-events';
import { profileColumns } from '../columns/profile-columns';
import { pieceReader } from './events';
import { guardRead } from './guard-read';
import { selectHistory, storedPast } from './history';
import { selectIdentities, storedIdentity } from './identities';
import { firstOf, linkedOf, selectLinked, selectLinks, storedLink } from './links';
import { isLastPage } from './page-sql';
import {
  countProfiles,
  listedProfile,
  selectProfile,
  selectProfiles,
  storedProfile,
} from './profiles';
import { readRows } from './read-rows';
import type { Sessions } from '../sessions/sessions';
import { READ_MS, SCAN_MS, streamOf, withinLimits } from './reading-sessions';
import { SnowflakeResolvedState } from './resolved';
import type { Row, Selection } from './rows';
import { partsOf } from './scan-in-order';
import { scannedProfile, selectScan, selectScanPage } from './scans';

type Work<T> = (session: SnowflakeSession) => Promise<T>;

/** Reads from the warehouse of one workspace. What was read is given when nobody has kept the reader out meanwhile. */
export class SnowflakeReader implements WarehouseReader {
  constructor(
    private readonly sessions: Sessions,
    private readonly workspace: WorkspaceId,
    private readonly epoch: number,
  ) {}

  async identities(wanted: IdentitiesWanted, signal: AbortSignal): Promise<IdentitiesPage> {
    const rows = await this.rows(selectIdentities(this.sessions.place, wanted), signal);
    return { identities: rows.map(storedIdentity), isLast: isLastPage(rows) };
  }

  async profile(
    { profiles, properties, id }: ProfileWanted,
    signal: AbortSignal,
  ): Promise<StoredProfile | undefined> {
    const columns = profileColumns(properties);
    const select = selectProfile(this.sessions.place, id, columns);
    const [row] = await this.rows(select, signal, profiles);
    return row && storedProfile(columns)(row);
  }

  async profiles(wanted: ProfilesWanted, signal: AbortSignal): Promise<ProfilesPage> {
    const columns = profileColumns(wanted.properties);
    const { place } = this.sessions;
    const work: Work<readonly (readonly Row[])[]> = async (session) => [
      wanted.isCounted ? await readRows(session, countProfiles(place, wanted)) : [],
      await readRows(session, selectProfiles(place, wanted, columns)),
    ];
    const [counted = [], rows = []] = await this.read(work, signal, wanted.profiles);
    return {
      profiles: rows.map(listedProfile(wanted, columns)),
      isLast: isLastPage(rows),
      total: wanted.isCounted ? Number(counted[0]?.['TOTAL']) : null,
    };
  }

  async countProfiles(signal: AbortSignal): Promise<number> {
    const [row] = await this.rows(countProfiles(this.sessions.place), signal);
    return Number(row?.['TOTAL']);
  }

  async scan(wanted: ScanPageWanted, signal: AbortSignal): Promise<ScanPage> {
    const select = selectScanPage(this.sessions.place, wanted);
    const rows = await this.rows(select, signal, wanted.profiles);
    return { profiles: rows.map(scannedProfile(wanted)), isLast: isLastPage(rows) };
  }

  async *scanInOrder(
    wanted: ScanWanted,
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ScannedProfile[]> {
    const read = scannedProfile(wanted);
    const select = selectScan(this.sessions.place, wanted, path);
    const parts = streamOf(this.sessions, (session) =>
      this.limited(session, select, wanted.profiles, signal),
    );
    for await (const rows of parts) yield rows.map(read);
  }

  async links({ identifiers, ...wanted }: LinksWanted, signal: AbortSignal): Promise<LinksPage> {
    const { place } = this.sessions;
    return this.read(async (session) => {
      const rows = await readRows(session, selectLinks(place, wanted));
      const numbers = [...new Set(rows.flatMap(firstOf))];
      const linked =
        numbers.length === 0 ? [] : await readRows(session, selectLinked(place, numbers));
      return {
        links: rows.map(storedLink(identifiers, linkedOf(linked))),
        isLast: isLastPage(rows),
      };
    }, signal);
  }

  async history(wanted: HistoryWanted, signal: AbortSignal): Promise<HistoryPage> {
    const rows = await this.rows(selectHistory(this.sessions.place, wanted), signal);
    return { past: rows.map(storedPast), isLast: isLastPage(rows) };
  }

  events(wanted: EventsWanted, signal: AbortSignal): Promise<EventsPage> {
    const read = <T>(work: Work<T>): Promise<T> => this.read(work, signal);
    return readEvents(wanted, pieceReader(this.sessions.place, wanted, read), signal);
  }

  async resolved<T>(work: (state: ResolvedState) => Promise<T>, signal: AbortSignal): Promise<T> {
    // What the work throws is its own.
    const outcome = await this.sessions.use(async (session) => {
      const guard = this.guard(session);
      const open = () => SnowflakeResolvedState.open(session, this.sessions.place, guard);
      const state = await withinLimits(signal, SCAN_MS, open).catch((error: unknown) =>
        this.told(session, error),
      );
      await guard();
      const settled = await settle(withinLimits(signal, SCAN_MS * 12, () => work(state)));
      await state.close();
      return settled;
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  private rows(
    select: Selection,
    signal: AbortSignal,
    profiles?: ProfileSchema,
  ): Promise<readonly Row[]> {
    return this.read((session) => readRows(session, select), signal, profiles);
  }

  /** Reads with statements that may name columns of the schema of profiles. */
  private read<T>(work: Work<T>, signal: AbortSignal, profiles?: ProfileSchema): Promise<T> {
    return this.sessions.use((session) =>
      withinLimits(signal, READ_MS, async () => {
        const result = await work(session).catch((error: unknown) =>
          this.told(session, error, profiles),
        );
        await this.guard(session, profiles)();
        return result;
      }),
    );
  }

  /** What is asked before anything is given: the first time whether the reader is let in, then whether it may go on. */
  private guard(session: SnowflakeSession, profiles?: ProfileSchema): () => Promise<void> {
    const { workspace, epoch } = this;
    const { place } = this.sessions;
    let isUnderWay = false;
    return async () => {
      await guardRead(session, { place, workspace, epoch, profiles, isUnderWay });
      isUnderWay = true;
    };
  }

  /** Why a read has failed: what it looks for may be another's, or gone with another schema. */
  private async told(
    session: SnowflakeSession,
    error: unknown,
    profiles?: ProfileSchema,
  ): Promise<never> {
    if (error instanceof WarehouseFault) throw error;
    await this.guard(session, profiles)();
    throw error;
  }

  /** Parts of a long read. Who keeps the reader out ends it. */
  private async *limited(
    session: SnowflakeSession,
    select: Selection,
    profiles: ProfileSchema,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Row[]> {
    const parts = partsOf(session, select, this.guard(session, profiles));
    try {
      for (;;) {
        const next = await withinLimits(signal, SCAN_MS, () => parts.next()).catch(
          (error: unknown) => this.told(session, error, profiles),
        );
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      // It may be waiting for a server that does not answer.
      parts.return(undefined).catch(() => undefined);
    }
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown };

const settle = async <T>(work: Promise<T>): Promise<Settled<T>> => {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
};
