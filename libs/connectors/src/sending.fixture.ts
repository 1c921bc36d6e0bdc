import type { Settings } from './connector/connector';
import type { EventDestination, Outcome, OutgoingEvent } from './connector/event-destination';
import type { GuardedHttp } from './connector/guarded-http';
import { createGuardedHttp } from './egress/undici-guarded-http';
import { type Answer, HttpStub } from './http-stub.fixture';
import { aContext } from './outgoing-event.fixture';

/** A vendor on the loopback interface, for the specs of one file: started before each, closed after each. */
export class Sending {
  private stub: HttpStub | undefined;
  private http: GuardedHttp | undefined;

  constructor(
    private readonly destination: EventDestination,
    private readonly settings: (origin: string) => Settings,
    private readonly vendor: () => Answer,
  ) {
    beforeEach(async () => {
      this.stub = await HttpStub.start();
      this.stub.always(this.vendor());
      this.http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    });
    afterEach(async () => {
      await this.stub?.close();
      await this.http?.close();
    });
  }

  get vendorStub(): HttpStub {
    if (this.stub === undefined) throw new Error('nothing was started');
    return this.stub;
  }

  send(...events: readonly OutgoingEvent[]): Promise<readonly Outcome[]> {
    const { vendorStub, http } = this;
    if (http === undefined) throw new Error('nothing was started');
    return this.destination.send(events, this.settings(vendorStub.origin), aContext(http));
  }

  /** JSON of the bodies that were sent. */
  get bodies(): unknown[] {
    return this.vendorStub.requests.map(({ body }) => JSON.parse(body) as unknown);
  }
}
