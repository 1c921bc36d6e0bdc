import type { DataKey, DataKeyRecord } from '../data-key';

/** The data keys of workspaces. */
export class HeldDataKeys {
  private readonly held = new Map<string, DataKey>();

  /** Applies a record of the topic. @param value `null`: the key was erased. */
  take(workspace: string, value: string | null): void {
    if (value === null) this.held.delete(workspace);
    else this.held.set(workspace, (JSON.parse(value) as DataKeyRecord).dataKey);
  }

  get(workspace: string): DataKey | undefined {
    return this.held.get(workspace);
  }
}
