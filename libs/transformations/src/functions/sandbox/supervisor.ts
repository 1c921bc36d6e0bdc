import { FairTurns } from '@penstock/turns';
import type { SandboxLimits } from '../sandbox-process';
import type { FunctionLanguage } from '../values/transformation-function';
import type { BatchRequest } from '../wire/messages';
import { Instance, type InstanceLife, type SendReply } from './instance';
import type { LanguageModules } from './language-modules';

/** Minimal interval between checks of the process's actual memory. */
const RELIEVE_MS = 20;

/** Limits of the process, and its language modules. */
export interface SupervisorOptions extends Omit<InstanceLife, 'onGrowth'> {
  readonly limits: SandboxLimits;
  readonly modulesOf: (language: FunctionLanguage) => LanguageModules;
}

/** Assigns each batch to the instance of its program: a running one, a spare, or a new one. */
export class Supervisor {
  /** Instances by key, the least recently used first. */
  private readonly instances = new Map<string, Instance>();
  private readonly spares = new Map<FunctionLanguage, Instance[]>();
  private readonly underWay = new Map<number, Instance>();
  private readonly growths: FairTurns;
  private relievedMs = 0;

  constructor(private readonly options: SupervisorOptions) {
    this.growths = new FairTurns({ places: options.limits.growths });
  }

  /** @param records packed texts. */
  async run(request: BatchRequest, records: Uint8Array, reply: SendReply): Promise<void> {
    const { id, instance: key, once } = request;
    const instance = this.instanceFor(request);
    this.underWay.set(id, instance);
    await instance.run(request, records, reply);
    this.underWay.delete(id);
    this.relieve();
    if (once || this.isInTheWay(instance)) instance.close();
    if (instance.ended.aborted && this.instances.get(key) === instance) this.instances.delete(key);
  }

  /** Cancels a batch, which may have ended already. */
  cancel(id: number): void {
    this.underWay.get(id)?.close();
  }

  private instanceFor({ instance: key, program: { language } }: BatchRequest): Instance {
    const known = this.instances.get(key);
    this.instances.delete(key);
    const instance = known && !known.ended.aborted ? known : this.fresh(language);
    this.instances.set(key, instance);
    this.evict(instance);
    return instance;
  }

  private fresh(language: FunctionLanguage): Instance {
    const waiting = (this.spares.get(language) ?? []).filter(({ ended }) => !ended.aborted);
    const instance = waiting.shift() ?? this.start(language);
    while (waiting.length < this.options.limits.spares) waiting.push(this.start(language));
    this.spares.set(language, waiting);
    return instance;
  }

  private start(language: FunctionLanguage): Instance {
    const { limits, modulesOf, ...life } = this.options;
    const sizes = { easyBytes: limits.easyBytes, mostBytes: limits.memoryLimitBytes };
    return new Instance(modulesOf(language), sizes, {
      ...life,
      onGrowth: (instance, workspace) => this.letGrow(instance, workspace),
    });
  }

  /**
   * Lets the instance grow in its turn, which lasts until the instance has ended. Idle instances that have grown are
   * closed for those that wait.
   */
  private letGrow(instance: Instance, workspace: string): void {
    const request = { share: workspace, signal: instance.ended };
    const turn = this.growths.take(request, () => {
      instance.grow();
      this.evict(instance);
      return instance.gone;
    });
    turn.catch(() => undefined);
    for (const other of this.instances.values()) if (this.isInTheWay(other)) other.close();
  }

  private isInTheWay(instance: Instance): boolean {
    return !instance.busy && instance.hasGrown && this.growths.waits > 0;
  }

  /** Closes idle instances, the least recently used first, while there are too many or memory does not suffice. */
  private evict(wanted: Instance): void {
    const { maxInstances, roomBytes } = this.options.limits;
    while (this.instances.size > maxInstances || this.chargedBytes() > roomBytes)
      if (!this.evictOne(wanted)) return;
  }

  /** @returns whether an idle instance was closed. */
  private evictOne(wanted?: Instance): boolean {
    for (const [key, instance] of this.instances) {
      if (instance.busy || instance === wanted) continue;
      instance.close();
      this.instances.delete(key);
      return true;
    }
    return false;
  }

  /**
   * Closes an idle instance when the process exceeds its limit, since memory that threads have not freed is released
   * with them. One at a time, because that takes a while.
   */
  private relieve(): void {
    const now = performance.now();
    if (now - this.relievedMs < RELIEVE_MS) return;
    this.relievedMs = now;
    if (process.memoryUsage.rss() > this.options.limits.capBytes) this.evictOne();
  }

  private chargedBytes(): number {
    const all = [...this.instances.values(), ...[...this.spares.values()].flat()];
    return all.reduce((sum, instance) => sum + this.chargeOf(instance), 0);
  }

  /** Memory charged for an instance; a busy one is charged with its maximum. */
  private chargeOf(instance: Instance): number {
    const { threadBytes, easyBytes, memoryLimitBytes } = this.options.limits;
    const most = instance.hasGrown ? memoryLimitBytes : easyBytes;
    return threadBytes + (instance.busy ? most : Math.min(instance.bytes, most));
  }
}
