import { type Registry } from 'prom-client';
import type { Health } from './health';

/** An HTTP answer, for any server to write out. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const json = (status: number, body: unknown): Answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

/** `GET /healthz`: the process runs, or there would be no answer. */
export const healthzAnswer = (): Answer => json(200, { status: 'ok' });

/** `GET /readyz`: 200 when the process can do its work, else 503 with the names of what is missing. */
export const readyzAnswer = async (health: Health): Promise<Answer> => {
  const notReady = await health.notReady();
  return notReady.length === 0 ? json(200, { status: 'ready' }) : json(503, { notReady });
};

/** `GET /metrics` in the text format of Prometheus. */
export const metricsAnswer = async (registry: Registry): Promise<Answer> => ({
  status: 200,
  contentType: registry.contentType,
  body: await registry.metrics(),
});
