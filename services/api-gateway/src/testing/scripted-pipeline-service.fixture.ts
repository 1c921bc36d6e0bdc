import type { Commands, Queries } from '@penstock/contracts';
import { type Asked, PipelineService } from '../pipeline-service/pipeline-service';

type Name = keyof Commands | keyof Queries;

interface Call {
  readonly name: Name;
  readonly about: string;
  readonly in: unknown;
  readonly asked: Asked;
}

/** Answers as it was told to, and keeps what it was asked. */
export class ScriptedPipelineService extends PipelineService {
  readonly calls: Call[] = [];
  private readonly answers = new Map<Name, unknown>();

  /** An Error is thrown. */
  answer<Asked extends Name>(
    name: Asked,
    answer: Error | (Commands & Queries)[Asked]['out'],
  ): void {
    this.answers.set(name, answer);
  }

  override change<Command extends keyof Commands>(
    name: Command,
    about: string,
    command: Commands[Command]['in'],
    asked: Asked,
  ): Promise<Commands[Command]['out']> {
    return this.answered({ name, about, in: command, asked });
  }

  override ask<Query extends keyof Queries>(
    name: Query,
    about: string,
    query: Queries[Query]['in'],
    asked: Asked,
  ): Promise<Queries[Query]['out']> {
    return this.answered({ name, about, in: query, asked });
  }

  private answered<Out>(call: Call): Promise<Out> {
    this.calls.push(call);
    const answer = this.answers.get(call.name);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Out);
  }
}
