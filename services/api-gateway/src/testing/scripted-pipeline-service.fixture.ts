import type {
  BeginRequest,
  Commands,
  EndRequest,
  OperationName,
  Queries,
} from '@penstock/contracts';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { RememberedRequests } from './remembered-requests.fixture';

interface Call {
  readonly name: OperationName;
  readonly about: string;
  readonly in: unknown;
  readonly metadata: RequestMetadata;
}

/** Returns scripted answers, and records the calls. */
export class ScriptedPipelineService extends PipelineService {
  readonly calls: Call[] = [];
  /** The answers that were to be stored for repeatable requests. */
  readonly ended: EndRequest[] = [];
  private readonly answers = new Map<OperationName, unknown>();
  private readonly requests = new RememberedRequests();

  /** Sets the answer of an operation; an Error is thrown. */
  answer<Answered extends keyof Commands | keyof Queries>(
    name: Answered,
    answer: Error | (Commands & Queries)[Answered]['out'],
  ): void {
    this.answers.set(name, answer);
  }

  /** Sets a function that answers each command or query of this name. */
  script<Name extends keyof Commands | keyof Queries>(
    name: Name,
    answerTo: (
      input: (Commands & Queries)[Name]['in'],
    ) => (Commands & Queries)[Name]['out'] | Promise<(Commands & Queries)[Name]['out']>,
  ): void {
    this.answers.set(name, answerTo);
  }

  override execute<Command extends keyof Commands>(
    name: Command,
    about: string,
    command: Commands[Command]['in'],
    metadata: RequestMetadata,
  ): Promise<Commands[Command]['out']> {
    return this.answered({ name, about, in: command, metadata });
  }

  override query<Query extends keyof Queries>(
    name: Query,
    about: string,
    query: Queries[Query]['in'],
    metadata: RequestMetadata,
  ): Promise<Queries[Query]['out']> {
    return this.remembered(name, query) ?? this.answered({ name, about, in: query, metadata });
  }

  /** Handles the requests for idempotency, which are not scripted. */
  private remembered<Out>(name: OperationName, query: unknown): Promise<Out> | undefined {
    const { requests } = this;
    if (name === 'BeginRequest')
      return Promise.resolve(requests.begin(query as BeginRequest) as Out);
    if (name === 'EndRequest') {
      this.ended.push(query as EndRequest);
      return Promise.resolve(requests.end(query as EndRequest) as Out);
    }
    return undefined;
  }

  private answered<Out>(call: Call): Promise<Out> {
    this.calls.push(call);
    const answer = this.answers.get(call.name);
    if (typeof answer === 'function')
      return Promise.resolve((answer as (command: unknown) => Out | Promise<Out>)(call.in));
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Out);
  }
}
