import { BaseRpcContext } from '@nestjs/microservices';
import type { LogRecord } from '../message-log';
import type { RequestMessage } from './message-format';

/** Context of a request, injected into handlers with `@Ctx()`. */
export class LogRequestContext extends BaseRpcContext<[LogRecord, RequestMessage, AbortSignal]> {
  /** Id of the command, the same for every repetition; undefined for an event. */
  get commandId(): string | undefined {
    return this.args[1].id;
  }

  /** Pattern of the handler. */
  get pattern(): string {
    return this.args[1].pattern;
  }

  get key(): string {
    return this.args[0].key;
  }

  /** Fires when whoever has sent the request does not wait for the answer any more. */
  get signal(): AbortSignal {
    return this.args[2];
  }

  /** `traceparent` of the span that has sent it; undefined: none, or it is not sampled. */
  get traceparent(): string | undefined {
    return this.args[1].traceparent;
  }

  /** Milliseconds since 1970 after which the requester no longer waits; undefined for an event. */
  get deadlineMs(): number | undefined {
    return this.args[1].deadlineMs;
  }
}
