import { FairTurns } from '@penstock/turns';
import type { SandboxLimits } from '../sandbox-process';
import type { FunctionLanguage } from '../values/transformation-function';
import type { BatchRequest } from '../wire/messages';
import { Instance, type InstanceLife, type SendReply } from './instance';
import type { LanguageModules } from './language-modules';

/** So often it is looked at what the process really has. */
const RELIEVE_MS = 20;

/** Limits of the process, and what it is made of. */
export interface SupervisorOptions extends Omit<InstanceLife, 'onGrowth'> {
  readonly limits: SandboxLimits;
  readonly modulesOf: (language: FunctionLanguage) => LanguageModules;
}

/** Gives each batch to the instance of its program: a running one, a spare, or a new one. */
export class Supervisor {
  /** By instance text, the least recently used first. */
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

  /** Nobody waits for the batch any more. It may have ended by now. */
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

  /** In turn; the turn lasts until the instance is gone. One that rests gives its turn up to who waits. */
  private letGrow(instance: Instance, workspace: string): void {
    const asked = { share: workspace, signal: instance.ended };
    const turn = this.growths.take(asked, () => {
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

  /** Ends instances that rest, the least recently used first, while there are too many or there is no room for them. */
  private evict(wanted: Instance): void {
    const { maxInstances, roomBytes } = this.options.limits;
    while (this.instances.size > maxInstances || this.chargedBytes() > roomBytes)
      if (!this.evictOne(wanted)) return;
  }

  /** @returns whether one rested. */
  private evictOne(wanted?: Instance): boolean {
    for (const [key, instance] of this.instances) {
      if (instance.busy || instance === wanted) continue;
      instance.close();
      this.instances.delete(key);
      return true;
    }
    return false;
  }

  /** What threads leave lying about counts, too: it goes with them. Not more than one at a time: that takes a while. */
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

  /** One that runs may come to have more than it has. */
  private chargeOf(instance: Instance): number {
    const { threadBytes, easyBytes, memoryLimitBytes } = this.options.limits;
    const most = instance.hasGrown ? memoryLimitBytes : easyBytes;
    return threadBytes + (instance.busy ? most : Math.min(instance.bytes, most));
  }
}
