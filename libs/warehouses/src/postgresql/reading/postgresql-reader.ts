import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { type Client, escapeLiteral, type QueryResult } from 'pg';
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
import type {
  IdentitiesPage,
  IdentitiesWanted,
  WarehouseReader,
} from '../../platform/warehouse-reader';
import type { ResolvedState } from '../../platform/resolved-reads';
import { readEvents } from '../../reading/read-events';
import { profileColumns } from '../columns/profile-columns';
import { profilesGuard, readerGuard } from '../layout/guard';
import { READS_LOCK } from '../layout/lock';
import { type Marker, ownMarker, selectMarker } from '../layout/marker';
import type { Sessions } from '../sessions/sessions';
import { BEGIN, BEGIN_AT_ONE_MOMENT, transaction } from '../sql/transaction';
import { BY_INDEX, selectIdentities } from './select-identities';
import { EXACT } from './column-values';
import { pieceReader } from './select-events';
import type { Row } from './rows';
import { selectHistory } from './select-history';
import { selectLinks } from './select-links';
import { selectProfile } from './select-profile';
import { PostgresqlResolvedState } from './resolved-state';
import { scanInOrder, SCANNING } from './scan-in-order';
import { countProfiles, selectProfiles } from './select-profiles';
import { countScan, selectScan, selectScanPage } from './select-scan';
import { storedIdentity } from './stored-identity';
import { storedLink } from './stored-link';
import { storedPast } from './stored-past';
import { listedProfile, scannedProfile, storedProfile } from './stored-profile';
import { withinLimits } from '../sql/within-limits';

/** A statement that reads a few rows is not worth being compiled. */
const NOT_COMPILED = 'SET LOCAL jit = off';

/** Reads from the warehouse of one workspace. */
export class PostgresqlReader implements WarehouseReader {
  constructor(
    private readonly sessions: Sessions,
    private readonly schema: string,
    private readonly workspace: WorkspaceId,
    private readonly epoch: number,
  ) {}

  async identities(wanted: IdentitiesWanted, signal: AbortSignal): Promise<IdentitiesPage> {
    const select = selectIdentities(this.schema, wanted);
    const settings = 'connection' in wanted.of ? BY_INDEX : [];
    const rows = await this.rows([...settings, select], signal);
    const identities = rows.slice(0, wanted.limit).map(storedIdentity);
    return { identities, isLast: (rows[0]?.['found'] ?? 0) === identities.length };
  }

  async profile(
    { profiles, properties, id }: ProfileWanted,
    signal: AbortSignal,
  ): Promise<StoredProfile | undefined> {
    const columns = profileColumns(properties);
    const select = selectProfile(this.schema, id, columns);
    const [row] = (await this.ofSchema(profiles, [...EXACT, select], signal)).at(-1) ?? [];
    return row && storedProfile(columns)(row);
  }

  async profiles(wanted: ProfilesWanted, signal: AbortSignal): Promise<ProfilesPage> {
    const columns = profileColumns(wanted.properties);
    const statements = [
      ...EXACT,
      NOT_COMPILED,
      wanted.isCounted ? countProfiles(this.schema, wanted) : 'SELECT',
      selectProfiles(this.schema, wanted, columns),
    ];
    const results = await this.ofSchema(wanted.profiles, statements, signal);
    const [counted = [], rows = []] = results.slice(-2);
    return {
      profiles: rows.map(listedProfile(columns)),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
      total: wanted.isCounted ? Number(counted[0]?.['total']) : null,
    };
  }

  async countProfiles(signal: AbortSignal): Promise<number> {
    const [row] = await this.rows([NOT_COMPILED, countScan(this.schema)], signal);
    return Number(row?.['total']);
  }

  async scan(wanted: ScanPageWanted, signal: AbortSignal): Promise<ScanPage> {
    const select = selectScanPage(this.schema, wanted);
    const results = await this.ofSchema(wanted.profiles, [...EXACT, NOT_COMPILED, select], signal);
    const rows = results.at(-1) ?? [];
    return {
      profiles: rows.map(scannedProfile(profileColumns(wanted.properties))),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
    };
  }

  async *scanInOrder(
    wanted: ScanWanted,
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ScannedProfile[]> {
    const read = scannedProfile(profileColumns(wanted.properties));
    const select = selectScan(this.schema, wanted, path);
    const parts = this.sessions.stream((client) =>
      scanInOrder(client, () => this.beginScan(client, wanted.profiles), select, signal),
    );
    for await (const rows of parts) yield rows.map(read);
  }

  /** Begins a transaction in which {@link guarded} statements are executed one by one. */
  private async beginScan(client: Client, profiles: ProfileSchema): Promise<void> {
    const statements = [
      ...[BEGIN, ...SCANNING, ...EXACT, NOT_COMPILED],
      this.sharedLock(),
      readerGuard(this.schema, this.epoch),
      ...profilesGuard(this.schema, profiles),
    ];
    await client.query(statements.join(';\n'));
    const { rows } = await client.query<Marker>(selectMarker(this.schema));
    ownMarker(rows[0], this.workspace);
  }

  async links({ identifiers, ...wanted }: LinksWanted, signal: AbortSignal): Promise<LinksPage> {
    const rows = await this.rows([NOT_COMPILED, selectLinks(this.schema, wanted)], signal);
    return {
      links: rows.map(storedLink(identifiers)),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
    };
  }

  async history(wanted: HistoryWanted, signal: AbortSignal): Promise<HistoryPage> {
    const rows = await this.rows([...EXACT, selectHistory(this.schema, wanted)], signal);
    return {
      past: rows.map(storedPast),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
    };
  }

  events(wanted: EventsWanted, signal: AbortSignal): Promise<EventsPage> {
    const execute = (statement: string): Promise<readonly Row[]> =>
      this.rows([...EXACT, NOT_COMPILED, statement], signal);
    return readEvents(wanted, pieceReader(this.schema, wanted, execute), signal);
  }

  resolved<T>(work: (state: ResolvedState) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.sessions.use(async (client) => {
      await withinLimits(client, signal, () => this.beginResolved(client));
      const result = await work(new PostgresqlResolvedState(client, this.schema, signal));
      await withinLimits(client, signal, () => client.query('COMMIT'));
      return result;
    });
  }

  /**
   * The moment that is read is before the wait for the lock: who is kept out is found by a look before it, and who keeps out
   * since then waits for the end.
   */
  private async beginResolved(client: Client): Promise<void> {
    await this.guarded(client, []);
    const statements = [
      ...[BEGIN_AT_ONE_MOMENT, ...SCANNING, ...EXACT, NOT_COMPILED],
      this.sharedLock(),
      readerGuard(this.schema, this.epoch),
    ];
    await client.query(statements.join(';\n'));
    const { rows } = await client.query<Marker>(selectMarker(this.schema));
    ownMarker(rows[0], this.workspace);
  }

  /** The rows that the last of the statements gives. */
  private async rows(statements: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
    return (await this.results(statements, signal)).at(-1) ?? [];
  }

  /** The rows that each of the statements gives, which name columns of the schema of profiles. */
  private ofSchema(
    profiles: ProfileSchema,
    statements: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly Row[])[]> {
    return this.results([...profilesGuard(this.schema, profiles), ...statements], signal);
  }

  private results(
    statements: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (readonly Row[])[]> {
    return this.sessions.use((client) =>
      withinLimits(client, signal, async () => {
        const read = [selectMarker(this.schema), ...statements];
        const [marker, ...results] = await this.guarded(client, read);
        ownMarker(marker?.rows[0] as unknown as Marker | undefined, this.workspace);
        return results.map(({ rows }) => rows);
      }),
    );
  }

  /** The results of the statements, in a transaction that fails when readers of this epoch are kept out. */
  private async guarded(
    client: Client,
    statements: readonly string[],
  ): Promise<readonly QueryResult<Row>[]> {
    const results = await transaction(client, [
      this.sharedLock(),
      readerGuard(this.schema, this.epoch),
      ...statements,
    ]);
    return results.slice(2);
  }

  /** Who keeps readers out waits for the lock: those behind it see the fence. */
  private sharedLock(): string {
    const shared = READS_LOCK.replace('$1', () => escapeLiteral(this.schema));
    return `SELECT pg_advisory_xact_lock_shared(${shared})`;
  }
}
