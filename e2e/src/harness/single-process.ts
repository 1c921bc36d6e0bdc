import { type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { EmbeddedInstallation } from './embedded-installation';
import { freeze } from './freeze';
import type { Gateway, RouterInstallation } from './router-installation';
import type { ServiceProcess } from './service-process';

/** All services in one process, which is both gateway and router. */
export class SingleProcess implements RouterInstallation {
  private constructor(readonly embedded: EmbeddedInstallation) {}

  static async start(
    ...[env, command]: Parameters<typeof EmbeddedInstallation.start>
  ): Promise<SingleProcess> {
    return new SingleProcess(await EmbeddedInstallation.start(env, command));
  }

  get address(): string {
    return this.embedded.address;
  }

  get apiKey(): string {
    return this.embedded.apiKey;
  }

  get databaseUrl(): string {
    return this.embedded.databaseUrl;
  }

  get services(): readonly ServiceProcess[] {
    return this.embedded.services;
  }

  get gateways(): readonly Gateway[] {
    return [{ address: this.address, process: this.embedded.penstock }];
  }

  get routers(): readonly ServiceProcess[] {
    return [this.embedded.penstock];
  }

  /** The process does all of it. */
  startExecutor(): Promise<void> {
    return Promise.resolve();
  }

  openLog(): MessageLog {
    return new PostgresMessageLog({ connection: { connectionString: this.databaseUrl } });
  }

  freezeDatabase(): () => void {
    const { databasePid } = this.embedded;
    if (databasePid === undefined) throw new Error('there is no database');
    return freeze(databasePid);
  }

  destroy(): Promise<void> {
    return this.embedded.destroy();
  }
}
