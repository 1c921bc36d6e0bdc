import type { Installation } from '../harness/installation';
import type { PlantedSecrets } from '../harness/planted-secrets';
import { type RawRequest, sendPatiently } from '../harness/raw-request';

/** Options of one request. */
export interface CallOptions extends Omit<RawRequest, 'method' | 'body'> {
  /** Default: that of the installation. */
  readonly key?: string;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  /** Secrets that the answer may contain. */
  readonly reveals?: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Sends requests and keeps every answer with the secrets that it may contain. */
export class Conversation {
  readonly answers: { readonly call: string; readonly text: string; readonly reveals: string[] }[] =
    [];

  private constructor(
    private readonly installation: Installation,
    /** Headers of requests with the key of the organization. */
    private workspace: Readonly<Record<string, string>> = {},
  ) {}

  /** Begins in the existing workspace. */
  static async begin(installation: Installation): Promise<Conversation> {
    const talk = new Conversation(installation);
    const { id } = await talk.done('GET /v1/workspaces/current');
    talk.workspace = { 'Penstock-Workspace': String(id) };
    return talk;
  }

  async ask(
    call: string,
    { key, headers = {}, body, reveals = [], ...request }: CallOptions = {},
  ): Promise<Answer> {
    const { address, apiKey } = this.installation;
    const [method = '', path = ''] = call.split(' ');
    const answer = await sendPatiently(`${address}${path}`, {
      ...request,
      method,
      headers: {
        Authorization: `Bearer ${key ?? apiKey}`,
        ...(key === undefined && this.workspace),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, text } = answer;
    this.answers.push({
      call: `${String(this.answers.length)}: ${call}`,
      text: `${String(status)} ${JSON.stringify(answer.headers)} ${text}`,
      reveals: [...reveals],
    });
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    return { status, json: isJson ? (JSON.parse(text) as Answer['json']) : {} };
  }

  /** @returns the answer to a request that must succeed. */
  async done(call: string, options: CallOptions = {}): Promise<Answer['json']> {
    const { status, json } = await this.ask(call, options);
    if (status !== 200) throw new Error(`${call}: ${String(status)} ${JSON.stringify(json)}`);
    return json;
  }

  /** Secrets that answers contain and must not. */
  revealed(secrets: PlantedSecrets): string[] {
    return this.answers.flatMap(({ call, text, reveals }) =>
      secrets
        .in(text)
        .filter((name) => !reveals.includes(name))
        .map((name) => `${name} in the answer to ${call}`),
    );
  }
}
