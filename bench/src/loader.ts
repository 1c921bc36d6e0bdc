import type { ConnectionId, NewPipeline, PipelineId, WorkspaceId } from '@penstock/contracts';
import { FactRow, PostgresEventStore, ReplyRow } from '@penstock/event-sourcing';
import { DataSource } from 'typeorm';

const FACTS_AN_APPEND = 500;

/** What every state has. */
export interface State {
  readonly version: number;
}

export const connect = (url: string): Promise<DataSource> =>
  new DataSource({ type: 'postgres', url, entities: [FactRow, ReplyRow] }).initialize();

/**
 * Writes facts past the services, which publish them: on streams that no view is made of, or whose view a change mends.
 */
export class Loader {
  private commands = 0;

  constructor(private readonly store: PostgresEventStore) {}

  /**
   * @param owner the id of a workspace.
   * @param next what follows on a state: the fact, and the state after it.
   */
  async load(
    stream: string,
    owner: string,
    count: number,
    next: (state: State | undefined) => { type: string; data: object; state: State },
  ): Promise<void> {
    const [known] = await this.store.read<State>([stream]);
    let { state, version } = known ?? { state: undefined, version: 0 };
    for (let left = count; left > 0; left -= FACTS_AN_APPEND) {
      const facts = Array.from({ length: Math.min(left, FACTS_AN_APPEND) }, () => {
        const fact = next(state);
        ({ state } = fact);
        return fact;
      });
      await this.append(stream, owner, version, facts);
      version += facts.length;
    }
  }

  private async append(
    stream: string,
    owner: string,
    version: number,
    facts: readonly { type: string; data: object; state: object }[],
  ): Promise<void> {
    this.commands += 1;
    const commandId = `load-${this.commands}`;
    await this.store.append({
      streams: [{ stream, owner, version, facts }],
      cause: { commandId, actor: 'bench', requestId: commandId },
      reply: {},
      project: () => Promise.resolve(),
    });
  }
}

/** What the changes would have left in the view of pipelines. */
export const WRITE_PIPELINES = `
  INSERT INTO penstock.pipelines (id, workspace, connection, enabled, state)
  SELECT DISTINCT ON (stream) state->>'id', owner, state->>'connection', (state->>'enabled')::boolean, state
  FROM penstock.facts WHERE stream LIKE 'pipeline-%' ORDER BY stream, version DESC
  ON CONFLICT (id) DO NOTHING`;

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Order Completed'] }],
};

/** Of about a kilobyte. */
export const pipelineNamed = (id: string, workspace: string, connection: string): NewPipeline => ({
  id: id as PipelineId,
  workspace: workspace as WorkspaceId,
  connection: connection as ConnectionId,
  target: 'Event',
  eventType: 'send_event',
  name: `Pipeline ${id}`,
  enabled: true,
  filter: JSON.stringify(FILTER),
  transformation: null,
  outSchema: JSON.stringify({
    kind: 'object',
    properties: [{ name: 'text', type: { kind: 'string' } }],
  }).padEnd(700),
});

/** The first fact of a pipeline. */
export const pipelineCreated = (created: NewPipeline) => ({
  type: 'PipelineCreated',
  data: created,
  state: { ...created, kind: 'pipeline', version: 1, deleted: false },
});
