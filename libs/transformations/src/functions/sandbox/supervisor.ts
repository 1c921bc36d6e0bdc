import type { FunctionLanguage } from '../transformation-function';
import type { BatchRequest } from '../wire/messages';
import { Instance, type InstanceLife, type SendReply } from './instance';
import type { LanguageModules } from './language-modules';

export interface SupervisorOptions extends InstanceLife {
  readonly memoryLimitBytes: number;
  /** Most instances with a program at a time. */
  readonly maxInstances: number;
  /** How many instances of each language wait for a program, once the language was used. */
  readonly spares: number;
  readonly modulesOf: (language: FunctionLanguage) => LanguageModules;
}

/** Gives each batch to the instance of its program: a running one, a spare, or a new one. */
export class Supervisor {
  /** By instance text, the least recently used first. */
  private readonly instances = new Map<string, Instance>();
  private readonly spares = new Map<FunctionLanguage, Instance[]>();

  constructor(private readonly options: SupervisorOptions) {}

  /** @param records packed texts. */
  async run(request: BatchRequest, records: Uint8Array, reply: SendReply): Promise<void> {
    const instance = this.instanceFor(request);
    await instance.run(request, records, reply);
    if (request.once && !instance.ended) instance.close();
    if (instance.ended && this.instances.get(request.instance) === instance)
      this.instances.delete(request.instance);
  }

  private instanceFor({ instance: key, program: { language } }: BatchRequest): Instance {
    const known = this.instances.get(key);
    this.instances.delete(key);
    const instance = known && !known.ended ? known : this.fresh(language);
    this.instances.set(key, instance);
    this.evict();
    return instance;
  }

  private fresh(language: FunctionLanguage): Instance {
    const waiting = (this.spares.get(language) ?? []).filter(({ ended }) => !ended);
    const instance = waiting.shift() ?? this.start(language);
    while (waiting.length < this.options.spares) waiting.push(this.start(language));
    this.spares.set(language, waiting);
    return instance;
  }

  private start(language: FunctionLanguage): Instance {
    return new Instance(
      this.options.modulesOf(language),
      this.options.memoryLimitBytes,
      this.options,
    );
  }

  private evict(): void {
    for (const [key, instance] of this.instances) {
      if (this.instances.size <= this.options.maxInstances) return;
      if (instance.busy) continue;
      instance.close();
      this.instances.delete(key);
    }
  }
}
