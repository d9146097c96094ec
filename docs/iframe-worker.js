/* Search in pages that are opened from a folder. Browsers start no worker from a file, so here one lives in a hidden frame:
   its script runs there, hears "message" events, and what it posts is an event of the worker, as of a real one. */
if (location.protocol === "file:") {
  window.Worker = class IFrameWorker extends EventTarget {
    constructor(address) {
      super();
      this.waiting = []; // what was posted before the script had run
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const script = document.createElement("script");
      script.src = new URL(address, location.href).href;
      this.frame.srcdoc = script.outerHTML;
      this.frame.addEventListener("load", () => {
        const inside = this.frame.contentWindow;
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        this.deliver = (data) => inside.dispatchEvent(new MessageEvent("message", { data }));
        this.waiting.forEach(this.deliver);
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      if (this.deliver) this.deliver(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
