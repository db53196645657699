#include "server/edge/http.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/edge/api.h"
#include "server/edge/config.h"
#include "server/edge/unary.h"

namespace server::edge {

std::string_view Embedded(std::string_view name);

namespace {

constexpr auto kAnswerLimit = std::chrono::seconds(5);
constexpr size_t kSseBufferMax = 1024;
constexpr size_t kThreads = 8 + kSseClientsMax;
constexpr size_t kRequestBytesMax = 64 * 1024;

int HttpCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound: return 404;
    case absl::StatusCode::kInvalidArgument: return 400;
    case absl::StatusCode::kPermissionDenied: return 403;
    case absl::StatusCode::kResourceExhausted: return 429;
    default: return 503;
  }
}

// Events for one page, from the core's thread to the one that writes them.
class SseQueue {
 public:
  bool Push(std::string text) {
    std::lock_guard lock(mutex_);
    if (items_.size() >= kSseBufferMax) return false;
    items_.push_back(std::move(text));
    wake_.notify_one();
    return true;
  }
  void End() {
    std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_one();
  }
  // Everything there is, waiting up to a second for something. False: nothing more will come.
  bool Pop(std::string& out) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::seconds(1), [&] { return ended_ || !items_.empty(); });
    for (const std::string& item : items_) out += item;
    items_.clear();
    return !ended_ || !out.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> items_;
  bool ended_ = false;
};

// A body has no line breaks outside strings, so one event is one data line.
std::string SseText(const core::WatchItem& item) {
  if (item.event.seq == 0) return absl::StrCat(": heartbeat ", item.last_seq, "\n\n");
  std::string subject;
  for (const char c : item.event.subject) {
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) subject.push_back(c);
  }
  return absl::StrCat("id: ", item.event.seq, "\ndata: {\"seq\":", item.event.seq, ",\"run\":\"",
                      item.event.run ? core::RunName(item.event.run) : "", "\",\"subject\":\"",
                      subject, "\",\"kind\":\"", std::string(store::KindOf(item.event.body)),
                      "\"}\n\n");
}

// A page of another site whose name resolves to this machine must not read what we serve.
httplib::Server::HandlerResponse RefuseForeignHost(const httplib::Request& in,
                                                   httplib::Response& out) {
  std::string host = in.get_header_value("Host");
  const size_t port = host.rfind(':');
  if (port != std::string::npos && host.find(']', port) == std::string::npos) host.resize(port);
  if (host == "[::1]" || IsLoopback(host)) return httplib::Server::HandlerResponse::Unhandled;
  out.status = 421;
  out.set_content("this daemon answers to loopback names only: use 127.0.0.1 or localhost\n",
                  "text/plain");
  return httplib::Server::HandlerResponse::Handled;
}

class Server : public HttpServer {
 public:
  Server(const Desk& desk, std::function<bool()> healthy, std::function<std::string()> metrics)
      : core_(desk.core),
        door_(desk.door),
        api_(desk.core, desk.store),
        healthy_(std::move(healthy)),
        metrics_(std::move(metrics)) {}
  ~Server() override { Stop(); }

  absl::Status Listen(const std::string& host, int port) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // A daemon that starts again takes its port back while pages still hold connections to it; two
    // daemons never share one.
    http_.set_socket_options([](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    });
    http_.set_payload_max_length(kRequestBytesMax);
    http_.set_keep_alive_max_count(100);
    http_.set_read_timeout(10);
    http_.set_default_headers({{"Content-Security-Policy", "default-src 'self'"},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cache-Control", "no-store"}});
    http_.set_pre_routing_handler([this](const httplib::Request& in, httplib::Response& out) {
      const auto refused = RefuseForeignHost(in, out);
      return refused == httplib::Server::HandlerResponse::Handled ? refused
                                                                  : RefuseStranger(in, out);
    });
    AddPages();
    AddApi();
    http_.Get("/events", [this](const auto& in, auto& out) { Events(in, out); });
    if (!http_.bind_to_port(host, port)) {
      return absl::UnavailableError(absl::StrCat("cannot listen on ", host, ":", port));
    }
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    return absl::OkStatus();
  }

  void Stop() override {
    stopping_ = true;
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  // Where callers need tokens the page does too: a browser asks for it as a password. A token that
  // sees one experiment only sees no page, for pages show all.
  httplib::Server::HandlerResponse RefuseStranger(const httplib::Request& in,
                                                  httplib::Response& out) {
    if (MayLook(door_, in.get_header_value("Authorization"))) {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    out.status = 401;
    out.set_header("WWW-Authenticate", "Basic realm=\"cake: a token as the password\"");
    out.set_content("a token is needed: cake admin token\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  }

  static bool MayLook(const Door& door, const std::string& authorization) {
    if (!door.tokens()) return true;
    const auto caller = door.Enter("", authorization, kAgent | kOperator | kResearcher);
    return caller.ok() && caller->experiment == 0;
  }

  // Runs `call` on the core's thread and waits for it.
  template <typename T>
  absl::StatusOr<T> Ask(std::function<absl::StatusOr<T>(core::Core&)> call) {
    auto answer = std::make_shared<std::promise<absl::StatusOr<T>>>();
    auto future = answer->get_future();
    const absl::Status posted =
        core_.Post([answer, call](core::Core& core) { answer->set_value(call(core)); });
    if (!posted.ok()) return posted;
    if (future.wait_for(kAnswerLimit) != std::future_status::ready) {
      return absl::DeadlineExceededError("the daemon is busy");
    }
    return future.get();
  }

  void AddPages() {
    const auto page = [this](const char* path, const char* name, const char* type) {
      http_.Get(path, [name, type](const httplib::Request&, httplib::Response& out) {
        const std::string_view text = Embedded(name);
        out.set_content(text.data(), text.size(), type);
      });
    };
    // Every page is one document, which shows what its address says.
    page("/", "index.html", "text/html; charset=utf-8");
    page("/(runs|candidates|findings|devices|experiments|history|compare)(/[A-Za-z0-9._@-]+)?",
         "index.html", "text/html; charset=utf-8");
    page("/proposals(/p-[0-9]+)?", "index.html", "text/html; charset=utf-8");
    page("/app.js", "app.js", "text/javascript; charset=utf-8");
    page("/icon.svg", "icon.svg", "image/svg+xml");
    page("/app.css", "app.css", "text/css; charset=utf-8");
    http_.Get("/healthz", [this](const httplib::Request&, httplib::Response& out) {
      const bool healthy = healthy_();
      out.status = healthy ? 200 : 503;
      out.set_content(healthy ? "ok\n" : "read-only\n", "text/plain");
    });
    http_.Get("/metrics", [this](const httplib::Request&, httplib::Response& out) {
      out.set_content(metrics_(), "text/plain; version=0.0.4");
    });
  }

  static void Fail(httplib::Response& out, const absl::Status& status) {
    out.status = HttpCode(status);
    out.set_content(std::string(status.message()) + "\n", "text/plain; charset=utf-8");
  }

  void AddApi() {
    http_.Get("/api/([a-z]+)", [this](const httplib::Request& in, httplib::Response& out) {
      auto json = api_.Answer(in.matches[1], in.params);
      if (!json.ok()) return Fail(out, json.status());
      out.set_content(*json, "application/json");
    });
  }

  void Events(const httplib::Request& in, httplib::Response& out) {
    // After a broken connection the browser says which event it saw last.
    std::string from = in.get_header_value("Last-Event-ID");
    if (from.empty()) from = in.get_param_value("from");
    core::WatchRequest request;
    if (!from.empty() && !absl::SimpleAtoi(from, &request.from_seq)) {
      return Fail(out, absl::InvalidArgumentError("from: not a number"));
    }
    if (++sse_clients_ > kSseClientsMax) {
      --sse_clients_;
      return Fail(out, absl::ResourceExhaustedError("too many pages are open"));
    }
    auto queue = std::make_shared<SseQueue>();
    const std::string authorization = in.get_header_value("Authorization");
    auto opened = Ask<uint64_t>([&door = door_, queue, request, authorization](core::Core& core) {
      core::WatchSink sink;
      // A stream outlives the right to it only until the next item.
      sink.item = [&door, queue, authorization](const core::WatchItem& item) {
        if (MayLook(door, authorization)) return queue->Push(SseText(item));
        queue->End();
        return true;
      };
      sink.end = [queue](const absl::Status&) { queue->End(); };
      return core.Watch(request, std::move(sink));
    });
    if (!opened.ok()) {
      --sse_clients_;
      return Fail(out, opened.status());
    }
    out.set_chunked_content_provider(
        "text/event-stream",
        [this, queue](size_t, httplib::DataSink& sink) {
          std::string text;
          const bool more = queue->Pop(text) && !stopping_;
          // The browser comes back with the last id after the end of a stream.
          if (text.empty() && more) text = ": waiting\n\n";
          if (!text.empty() && !sink.write(text.data(), text.size())) return false;
          if (!more) sink.done();
          return true;
        },
        [this, id = *opened](bool) {
          --sse_clients_;
          core_.PostAlways([id](core::Core& core) { core.Unwatch(id); });
        });
  }

  CoreThread& core_;
  const Door& door_;
  Api api_;
  std::function<bool()> healthy_;
  std::function<std::string()> metrics_;
  httplib::Server http_;
  std::atomic<int> sse_clients_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const Desk& desk,
                                                              std::function<bool()> healthy,
                                                              std::function<std::string()> metrics,
                                                              const std::string& host, int port) {
  auto server = std::make_unique<Server>(desk, std::move(healthy), std::move(metrics));
  if (auto status = server->Listen(host, port); !status.ok()) return status;
  return server;
}

}  // namespace server::edge
