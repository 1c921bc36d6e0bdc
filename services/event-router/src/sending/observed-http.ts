import {
  type Download,
  type DownloadRequest,
  GuardedHttp,
  type IncomingResponse,
  type OutgoingRequest,
  type UploadRequest,
} from '@penstock/connectors';

/** Sends requests by another one and reports the status of each answer. */
export class ObservedHttp extends GuardedHttp {
  constructor(
    private readonly http: GuardedHttp,
    private readonly onStatus: (status: number) => void,
  ) {
    super();
  }

  override async request(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingResponse> {
    const answer = await this.http.request(request, signal);
    this.onStatus(answer.status);
    return answer;
  }

  override async download(request: DownloadRequest, signal: AbortSignal): Promise<Download> {
    const answer = await this.http.download(request, signal);
    this.onStatus(answer.status);
    return answer;
  }

  override async upload(request: UploadRequest, signal: AbortSignal): Promise<IncomingResponse> {
    const answer = await this.http.upload(request, signal);
    this.onStatus(answer.status);
    return answer;
  }

  override close(): Promise<void> {
    return this.http.close();
  }
}
