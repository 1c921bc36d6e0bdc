import type { Commands, SafeRetries } from '@penstock/contracts';
import {
  type RequestMetadata,
  PipelineService,
  type Questions,
} from '../pipeline-service/pipeline-service';
import { RememberedRequests } from './remembered-requests.fixture';

type Name = keyof Commands | keyof Questions;

interface Call {
  readonly name: Name;
  readonly about: string;
  readonly in: unknown;
  readonly metadata: RequestMetadata;
}

/** Answers as it was told to, and keeps what it was asked. */
export class ScriptedPipelineService extends PipelineService {
  readonly calls: Call[] = [];
  /** What was to be remembered of requests that may be repeated. */
  readonly ended: SafeRetries['EndRequest']['in'][] = [];
  private readonly answers = new Map<Name, unknown>();
  private readonly requests = new RememberedRequests();

  /** An Error is thrown. */
  answer<Answered extends Name>(
    name: Answered,
    answer: Error | (Commands & Questions)[Answered]['out'],
  ): void {
    this.answers.set(name, answer);
  }

  /** Called for each command of the name. */
  script<Command extends keyof Commands>(
    name: Command,
    answerTo: (
      command: Commands[Command]['in'],
    ) => Commands[Command]['out'] | Promise<Commands[Command]['out']>,
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

  override ask<Question extends keyof Questions>(
    name: Question,
    about: string,
    question: Questions[Question]['in'],
    metadata: RequestMetadata,
  ): Promise<Questions[Question]['out']> {
    return (
      this.remembered(name, question) ?? this.answered({ name, about, in: question, metadata })
    );
  }

  /** Requests that may be repeated are remembered, not scripted. */
  private remembered<Out>(name: Name, question: unknown): Promise<Out> | undefined {
    const { requests } = this;
    if (name === 'BeginRequest')
      return Promise.resolve(requests.begin(question as SafeRetries['BeginRequest']['in']) as Out);
    if (name === 'EndRequest') {
      this.ended.push(question as SafeRetries['EndRequest']['in']);
      return Promise.resolve(requests.end(question as SafeRetries['EndRequest']['in']) as Out);
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
