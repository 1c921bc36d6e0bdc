import type {
  ConfigurationPicture,
  ConnectionId,
  ConnectionState,
  Integrations,
  PipelineId,
  PipelineState,
} from '@penstock/contracts';
import { type CompiledPipeline, compilePipeline } from './compiled-pipeline';

/** A destination of a source, with all its pipelines on events, enabled or not. */
export interface Route {
  readonly destination: ConnectionState;
  readonly pipelines: readonly CompiledPipeline[];
}

interface Known {
  readonly seen: number;
  readonly routes: readonly Route[];
}

/** Where the events of each source go, by the configuration that this process has seen. */
export class Routes {
  private readonly known = new Map<ConnectionId, Known>();
  private readonly compiled = new Map<string, CompiledPipeline>();

  constructor(private readonly picture: ConfigurationPicture) {}

  /** In the order of the links and of the pipelines' ids, which is also that of the store. Empty for a source that is gone. */
  of(source: ConnectionId): readonly Route[] {
    const known = this.known.get(source);
    if (known?.seen === this.picture.seen) return known.routes;
    const routes = this.build(source);
    this.known.set(source, { seen: this.picture.seen, routes });
    return routes;
  }

  /** The version with which a delivery was routed. */
  version(id: PipelineId, version: number): CompiledPipeline | undefined {
    const state = this.picture.pipelineVersion(id, version);
    return state && this.compile(state);
  }

  /** A delivery to a pipeline or a destination that was deleted cannot be made any more. */
  isDeleted({ id, connection }: PipelineState): boolean {
    return (
      (this.picture.pipeline(id)?.deleted ?? true) ||
      this.picture.connection(connection) === undefined
    );
  }

  destination(id: ConnectionId): ConnectionState | undefined {
    return this.picture.connection(id);
  }

  private build(source: ConnectionId): Route[] {
    const links = this.picture.connection(source)?.links ?? [];
    return links.flatMap((id) => {
      const destination = this.picture.connection(id);
      if (destination === undefined) return [];
      const pipelines = [...this.picture.pipelinesOn(id)]
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((state) => this.compile(state));
      return [{ destination, pipelines }];
    });
  }

  private compile(state: PipelineState): CompiledPipeline {
    const key = `${state.id}@${String(state.version)}`;
    const pipeline = this.compiled.get(key) ?? compilePipeline(state);
    this.compiled.set(key, pipeline);
    return pipeline;
  }
}

/** Whether the event's `integrations` keep it from the destination: its own entry counts before `All`. */
export const isOptedOut = (
  integrations: Integrations | null,
  { id, connector }: ConnectionState,
  label: string,
): boolean => {
  if (integrations === null) return false;
  const own = [id, connector, label].find((name) => Object.hasOwn(integrations, name));
  return integrations[own ?? 'All'] === false;
};
