import type { HealthState } from '../state';

/** The recorded health of connections and pipelines. */
export class RecordedHealths {
  private readonly held = new Map<string, HealthState>();

  apply(state: HealthState): void {
    this.held.set(state.id, state);
  }

  /** Its object was deleted long ago. */
  forget(id: string): void {
    this.held.delete(id);
  }

  /** @returns undefined for an object that has always been healthy. */
  get(id: string): HealthState | undefined {
    return this.held.get(id);
  }

  /** Those of objects that are not healthy. */
  *troubles(): Iterable<HealthState> {
    for (const health of this.held.values()) if (health.code !== '') yield health;
  }
}
