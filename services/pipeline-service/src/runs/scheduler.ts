import {
  ADVISORY_LOCK,
  type Instant,
  instant,
  isRun,
  nextSlot,
  type OrganizationId,
  type PipelineId,
  type RequestedRun,
  type RunId,
  type RunPipelineState,
  slotUpTo,
  type SlotSkipReason,
  type WorkspaceId,
} from '@penstock/contracts';
import type { EventStore, Reading } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import { type EntityManager, In, LessThanOrEqual, Not } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import {
  type RunControl,
  type RunControlCommand,
  runControlDecider,
  runControlStream,
} from '../domain/run-control.decide';
import { RunControlRow } from '../read-model/run-control.row';
import { type RunPermission, runPermission } from './run-permission';
import { unchangedStreams } from '../command-handling/unchanged-streams';

/** Slots that one look decides, so that a look is short whatever is due. */
const SLOTS_A_LOOK = 100;

type Reads = Pick<Reading<EntityManager>, 'read'>;

/**
 * Decides the slots of schedules that are due, each once for all replicas: a run, or that there is none, and why. After
 * an outage only the newest slot that was missed is decided, late.
 */
export class Scheduler {
  /** Those that are due and could not be decided: all others come before they are looked at again. */
  private readonly undecided = new Set<PipelineId>();

  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly configuration: Configuration,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Decides what is due, unless another replica does. @returns whether more may be due. */
  look(): Promise<boolean> {
    return this.store.db.transaction(async (db) => {
      const [row] = await db.query<{ locked: boolean; now: number }[]>(
        `SELECT pg_try_advisory_xact_lock($1) AS locked,
           floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
        [ADVISORY_LOCK.schedule],
      );
      if (row?.locked !== true) return false;
      const now = instant(new Date(row.now));
      const due = await db.find(RunControlRow, {
        where: { due: LessThanOrEqual(now), id: Not(In([...this.undecided])) },
        order: { due: 'ASC' },
        take: SLOTS_A_LOOK,
      });
      let decided = 0;
      for (const { id, workspace } of due)
        if (await this.tryToDecide(id as PipelineId, workspace as WorkspaceId, now)) decided += 1;
        else this.undecided.add(id as PipelineId);
      const isFull = due.length === SLOTS_A_LOOK;
      if (!isFull) this.undecided.clear();
      return decided > 0 && isFull;
    });
  }

  /** @returns whether there was something to decide, and it was decided. */
  private async tryToDecide(
    id: PipelineId,
    workspace: WorkspaceId,
    now: Instant,
  ): Promise<boolean> {
    try {
      return await this.decide(id, workspace, now);
    } catch (error) {
      this.onError(error);
      return false;
    }
  }

  /** @returns whether there was something to decide. */
  private async decide(id: PipelineId, workspace: WorkspaceId, now: Instant): Promise<boolean> {
    let isDue = false;
    const command = newId();
    const context = { commandId: command, requestId: command, actor: 'scheduler', workspace };
    const decision = async (reading: Reads) => {
      const own = await load(reading, runControlDecider, runControlStream(id));
      const permission = await runPermission(reading, id, workspace);
      const decided = commandFor(own.state, permission, now);
      isDue = decided !== undefined;
      const facts = decided === undefined ? [] : runControlDecider.decide(decided, own.state);
      return {
        streams: [appendTo(own, facts)],
        reply: {},
        verify: unchangedStreams(permission.streams),
      };
    };
    await this.configuration.execute({ ...context, organization: '' as OrganizationId }, decision);
    return isDue;
  }
}

/** @returns undefined when the slot was decided, or the schedule changed, in the meantime. */
const commandFor = (
  state: RunControl,
  permission: RunPermission,
  now: Instant,
): RunControlCommand | undefined => {
  const next = state && nextSlot(state);
  if (state?.schedule == null || next === null || next > now) return undefined;
  const slot = slotUpTo(state.schedule, now);
  const { pipeline } = permission;
  const reason = skipReason(state, permission);
  if (reason !== undefined || pipeline === undefined || !isRun(pipeline))
    return { type: 'SkipSlot', slot, reason: reason ?? 'disabled' };
  return { type: 'RequestRun', of: state, request: scheduledRun(pipeline, state, slot, now) };
};

const skipReason = (
  { live }: NonNullable<RunControl>,
  { pipeline, isOrganizationEnabled, mode }: RunPermission,
): SlotSkipReason | undefined => {
  if (!isOrganizationEnabled) return 'organization';
  if (pipeline?.enabled !== true) return 'disabled';
  if (live !== null) return 'running';
  return mode === undefined || mode === 'Normal' ? undefined : 'mode';
};

/** The run of the pipeline as it is now. Without a cursor, it is a full one. */
const scheduledRun = (
  { version, imports }: RunPipelineState,
  state: RunControl,
  slot: Instant,
  requestedAt: Instant,
): RequestedRun => {
  const cursor = imports?.incremental === true ? (state?.cursor ?? null) : null;
  return {
    run: newId() as RunId,
    trigger: 'Schedule',
    pipelineVersion: version,
    incremental: imports === undefined ? null : cursor !== null,
    cursor,
    requestedAt,
    actor: 'scheduler',
    slot,
  };
};
