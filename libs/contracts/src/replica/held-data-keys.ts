import type { DataKey } from '../data-key';
import { readDataKey } from '../read-records';

/** The data keys of workspaces. */
export class HeldDataKeys {
  private readonly held = new Map<string, DataKey>();

  /** Applies a record of the topic. @param value `null`: the key was erased. @throws TypeError when it is none of ours. */
  take(workspace: string, value: string | null): void {
    if (value === null) {
      this.held.delete(workspace);
      return;
    }
    const dataKey = readDataKey(value);
    if (dataKey === undefined) throw new TypeError('this is no data key');
    this.held.set(workspace, dataKey);
  }

  get(workspace: string): DataKey | undefined {
    return this.held.get(workspace);
  }
}
