import type { PipelineId, ProfileSchema } from '@penstock/contracts';
import type { SnowflakeTarget } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import type { Eraser, Erasure } from '../../platform/eraser';
import type { EventWriter } from '../../platform/event-writer';
import type { MatchWriter } from '../../platform/match-writer';
import type { Remover } from '../../platform/remover';
import type { ResolutionRules, Resolver } from '../../platform/resolver';
import type {
  IdentityWriter,
  WarehouseWriter,
  Writer,
  WriterOptions,
} from '../../platform/warehouse-writer';
import { profileColumns } from '../columns/profile-columns';
import { LeftOut } from '../erasing/left-out';
import { SnowflakeEraser } from '../erasing/snowflake-eraser';
import { type Guarded, guardMarker, takeOver } from '../layout/guard';
import { dropLeftOvers, serverSeconds } from '../layout/stages';
import { SnowflakeClearer } from '../removing/snowflake-clearer';
import { SnowflakeRemover } from '../removing/snowflake-remover';
import { rulesOf } from '../resolving/rules';
import { SnowflakeResolver } from '../resolving/snowflake-resolver';
import { Sessions, type SessionsUse } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { SnowflakeEventWriter } from './snowflake-event-writer';
import { SnowflakeIdentityWriter } from './snowflake-identity-writer';
import { SnowflakeMatchWriter } from './snowflake-match-writer';
import type { WritingPlace } from './writing-place';

/** Writers use few sessions: a batch is merged while another one is being staged. */
const WRITING: SessionsUse = {
  max: 2,
  // Source: the specification of the warehouse, "Writing": statement time-out of writers.
  statementSeconds: 300,
  lockSeconds: 60,
};

/** Writes into the warehouse of one workspace. */
export class SnowflakeWriter implements WarehouseWriter {
  /**
   * @param signal ends every session, with what is under way on it.
   * @throws WarehouseFault
   */
  static async open(
    target: SnowflakeTarget,
    sockets: GuardedSockets,
    options: WriterOptions,
    signal: AbortSignal,
  ): Promise<SnowflakeWriter> {
    return new SnowflakeWriter(await Sessions.open(target, sockets, WRITING, signal), options);
  }

  private readonly guarded: Guarded & { readonly profiles: ProfileSchema };
  private readonly leftOut: LeftOut;

  private constructor(
    private readonly sessions: Sessions,
    private readonly options: WriterOptions,
  ) {
    const { place } = sessions;
    const { workspace, profiles, keyedHash } = options;
    this.guarded = { place, workspace, profiles };
    this.leftOut = new LeftOut(place, keyedHash);
  }

  async begin(writer: Writer): Promise<IdentityWriter> {
    const place = await this.take(writer);
    const columns = profileColumns(this.guarded.profiles.schema);
    return new SnowflakeIdentityWriter(
      this.sessions,
      { ...place, ...this.guarded, columns },
      writer,
    );
  }

  async beginEvents(writer: Writer): Promise<EventWriter> {
    return new SnowflakeEventWriter(this.sessions, await this.take(writer), writer);
  }

  async beginMatches(writer: Writer, owner: string): Promise<MatchWriter> {
    return new SnowflakeMatchWriter(this.sessions, await this.take(writer), writer, owner);
  }

  async beginErasure(writer: Writer, erasure: Erasure): Promise<Eraser> {
    const { place, workspace } = await this.take(writer);
    const { keyedHash } = this.options;
    return new SnowflakeEraser(this.sessions, { place, workspace, keyedHash }, writer, erasure);
  }

  async beginResolution(writer: Writer, rules: ResolutionRules): Promise<Resolver> {
    const known = rulesOf(this.guarded.profiles, rules);
    await this.take(writer);
    return new SnowflakeResolver(this.sessions, { ...this.guarded, rules: known }, writer);
  }

  async beginRemoval(
    writer: Writer,
    pipeline: PipelineId,
    lost?: readonly string[],
  ): Promise<Remover> {
    const { place, workspace } = await this.take(writer);
    if (lost === undefined)
      return new SnowflakeRemover(this.sessions, { place, workspace }, writer, pipeline);
    const all = profileColumns(this.guarded.profiles.schema);
    const columns = all.filter(({ path }) => lost.includes(path.join('.'))).map(({ name }) => name);
    const cleared = { place, columns, all };
    return new SnowflakeClearer(this.sessions, this.guarded, writer, pipeline, cleared);
  }

  pipelines(limit: number): Promise<readonly PipelineId[]> {
    const { place, workspace, profiles } = this.guarded;
    return this.sessions.use(async (session) => {
      await guardMarker(session, { place, workspace, profiles });
      const rows = await session.rows(
        `SELECT DISTINCT "_PIPELINE" FROM ${qualified(place, '_IDENTITIES')} ORDER BY 1 LIMIT ${String(limit)}`,
      );
      return rows.map(([pipeline]) => pipeline as PipelineId);
    });
  }

  dropLeftOvers(): Promise<readonly string[]> {
    return this.sessions.use(async (session) => {
      await guardMarker(session, this.guarded);
      return dropLeftOvers(session, this.guarded.place);
    });
  }

  close(): Promise<void> {
    return this.sessions.close();
  }

  /** Takes a role over. @returns what its writer needs, if it does not depend on the schema of profiles */
  private async take(writer: Writer): Promise<WritingPlace> {
    if (!Number.isSafeInteger(writer.epoch) || writer.epoch < 1)
      throw new RangeError(`epoch ${String(writer.epoch)}`);
    const { guarded, leftOut } = this;
    const seconds = await this.sessions.use((session) =>
      transaction(session, async () => {
        await takeOver(session, guarded, writer);
        return serverSeconds(session);
      }),
    );
    const { place, workspace } = guarded;
    return { place, workspace, leftOut, aheadSeconds: seconds - Date.now() / 1_000 };
  }
}
