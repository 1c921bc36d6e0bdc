import type { OrganizationId, WorkspaceId } from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { organizationStream } from '../domain/organization.decide';
import { resolutionDecider } from '../domain/resolution.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';
import { resolutionPermission } from './resolution-permission';
import { starting } from './starting';

/** Workspaces that one look decides on, so that a look is short whatever waits. */
const A_LOOK = 100;

/**
 * Of those that wait, the next ones that nothing is in the way of: those that are decided on, each of which costs an append,
 * whatever is decided. `$2`: what the names of the streams of organizations begin with.
 */
const NEXT = `
  SELECT r.id FROM penstock.resolutions AS r
  JOIN penstock.warehouses AS w ON w.id = r.id JOIN penstock.workspaces AS s ON s.id = r.id
  WHERE r.live IS NULL AND r.waiting AND r.id > $1 AND NOT s.deleted AND w.state->>'mode' = 'Normal'
    AND (w.state->'profileChange'->>'startedAt' IS NULL OR w.state->'profileChange'->>'endedAt' IS NOT NULL)
    AND (SELECT f.state->>'enabled' FROM penstock.facts AS f
          WHERE f.stream = $2 || s.organization ORDER BY f.version DESC LIMIT 1) = 'true'
  ORDER BY r.id LIMIT ${String(A_LOOK)}`;

/** Starts the resolutions that wait once nothing is in their way any more, each once for all replicas. */
export class WaitingResolutions {
  /** Where the next look begins: those that cannot be started must not hold up others. */
  private from = '';

  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly configuration: Configuration,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Starts the next ones that may start. @returns whether more may be due. */
  async look(): Promise<boolean> {
    const found = await this.store.db.query<{ id: WorkspaceId }[]>(NEXT, [
      this.from,
      organizationStream(''),
    ]);
    for (const { id } of found)
      try {
        await this.start(id);
      } catch (error) {
        // One that cannot be started waits for another look, and holds up no other.
        this.onError(error);
      }
    const isFull = found.length === A_LOOK;
    this.from = isFull ? (found.at(-1)?.id ?? '') : '';
    return isFull;
  }

  private async start(workspace: WorkspaceId): Promise<void> {
    const command = newId();
    const context = { commandId: command, requestId: command, actor: 'system', workspace };
    await this.configuration.execute(
      { ...context, organization: '' as OrganizationId },
      async (reading) => {
        const { hindrance, streams } = await resolutionPermission(reading, workspace);
        if (hindrance !== undefined) return { streams: [], reply: {} };
        const own = await loadResolution(reading, workspace);
        const facts = resolutionDecider.decide(
          { type: 'StartWaiting', ...starting('system') },
          own.state,
        );
        return { streams: [appendTo(own, facts)], reply: {}, verify: unchangedStreams(streams) };
      },
    );
  }
}
