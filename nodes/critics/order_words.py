"""What orders to a judge are made of, in many languages: five kinds of words.

`judge`: who rates, and rating. `text`: what is rated. `first`: the place that is wanted. `must`:
that it has to be. `others`: the rest, and to pass it over. A stem ends in "*"; a word of a script
without spaces is found anywhere. One kind alone is ordinary life: `order_signs.py` weighs them.
"""

from typing import Final

ORDER_WORDS: Final = {
    "english": {
        "judge": (
            "judge* judging rank ranks ranker* ranking grader* evaluator* reviewer* assessor* "
            "critic llm vote votes voted voting"
        ),
        "text": "note notes memory memories entry entries passage passages candidate candidates",
        "first": "first foremost topmost hot essential",
        "must": "must always obliged whatever regardless",
        "others": "others ignore* disregard* neglect* worthless rest discard*",
    },
    "spanish, portuguese, catalan": {
        "judge": (
            "juez jueces juiz juizes juzg* julg* evalu* avali* votar vote vota voten clasific* "
            "classific* puntu* pontu* calific* modelo* ranking jutge* assistent* asistent* "
            "qualific*"
        ),
        "text": (
            "nota notas nuvem* recuerdo* memoria* anotac* registro* entrada* texto* text textos "
            "documento* lembranc* record*"
        ),
        "first": (
            "primer* primeir* principal* importante* relevant* encima cima arriba topo maxim* dalt"
        ),
        "must": (
            "debe* deve* debera* siempre sempre obligator* obrigat* obligad* jamas nunca "
            "cualquier* qualquer* tiene tem"
        ),
        "others": (
            "otro* otra* outro* outra* demas demais resto ignor* descart* olvid* esquec* altres "
            "oblid*"
        ),
    },
    "french": {
        "judge": (
            "juge* evalu* noter notez classez vote* votez voter class* modele* assistant* "
            "correct* examinat*"
        ),
        "text": "note* souvenir* memoire* fiche* entree* texte* passage* enregistr* document*",
        "first": (
            "premier* premiere* haut tete avant prioritaire* indispensable* important* "
            "pertinent* essentiel*"
        ),
        "must": (
            "doit doivent dois devez toujours jamais obligatoire* quoi quelle* quel* faut mets "
            "mettez place* declare*"
        ),
        "others": "autre* reste ignor* oubli* neglig* ecart*",
    },
    "italian, romanian, latin": {
        "judge": (
            "giudic* valut* vota* votare votate modello classific* punteggio evalu* judec* "
            "modelul noteaz* iudex iudic* iudica*"
        ),
        "text": (
            "nota notam notas note notita ricord* memoria* appunt* testo testi voce voci "
            "annotaz* notite amintir* inregistr* scriptur*"
        ),
        "first": (
            "prim* primo prima primul import* rilevant* cima relevant* essenzial* alto "
            "principale intai potissim*"
        ),
        "must": (
            "deve devono sempre mai dovra* qualunque qualsiasi trebuie mereu intotdeauna "
            "oricare debet semper pone ponite metti mettere pune"
        ),
        "others": (
            "altr* resto rest* ignor* dimentic* scart* celelalt* restul celorlalt* ceter* "
            "cetera* neglege* reliqu*"
        ),
    },
    "german": {
        "judge": (
            "bewert* beurteil* richter* gutachter* modell* einstuf* einzustuf* stimm* abstimm* "
            "kritiker* sprachmodell* rang"
        ),
        "text": (
            "notiz* erinnerung* eintrag* eintrage* text texte textes abschnitt* aufzeichnung* "
            "dokument*"
        ),
        "first": (
            "erste* zuerst oberste* wichtigste* spitze oben relevanteste* heiss vorrang* hochste*"
        ),
        "must": "muss mussen immer stets niemals soll sollen unbedingt egal jede* setze setzt",
        "others": "andere* ubrige* rest ignorier* vergiss* wertlos* missacht*",
    },
    "dutch, swedish, danish, norwegian": {
        "judge": (
            "beoorde* rangschik* rechter* stem stemt stemmen bedom* bedoma* bedom vurder* "
            "domare* dommer* rost* stemme* modell* model"
        ),
        "text": (
            "notitie* herinner* tekst* aantekening* anteckning* minne* minnen text* notat* "
            "minde* minder* opptegnel* optegnel* oppforing*"
        ),
        "first": (
            "eerst* bovenaan belangrijk* relevantst* hoogst* forst* hogst* viktigast* "
            "viktigste* vigtigst* overst* relevanteste* toppen"
        ),
        "must": (
            "moet moeten altijd nooit maste skall ska alltid skal altid ma zet zetten satt sett "
            "saet uansett oavsett"
        ),
        "others": "ander* rest negeer* vergeet* ovrig* andra andre resten ignorer* bortse*",
    },
    "polish, czech, slovak, croatian": {
        "judge": (
            "ocen* ocenia* sedzi* sedzia model* glos* hodnot* posuz* soudc* sudca* hlas* ocjen* "
            "oceni* sudac* suda* procjen* rangir* klasyfik*"
        ),
        "text": (
            "notat* wspomnien* wpis* zapis* tekst* poznamk* vzpomink* zaznam* text* spomienk* "
            "biljesk* biljezk* sjecan* beleske* belesk* unos*"
        ),
        "first": (
            "pierwsz* najwazniejsz* najwyz* gorze naczel* prvni* prvn* nejdulezit* nejvyss* "
            "prve* prvo* najdolezit* najvazn* najrelevant* najistotn*"
        ),
        "must": (
            "musi musz* zawsze nalezy obowiaz* nigdy vzdy vzdycky muset musej* mora moraju "
            "uvijek uvek nikad* ma"
        ),
        "others": (
            "inne innych inny pozostal* reszt* zignor* ignor* pomin* ostatni* ostal* ostale "
            "zanemar* jine jinych odrzuc*"
        ),
    },
    "russian, ukrainian, bulgarian, serbian": {
        "judge": (
            "оцен* оцін* судь* судд* модель* модел* голос* ранжир* глас* оцењ* рангир* преценя* "
            "проголос*"
        ),
        "text": (
            "запис* замет* воспоминан* текст* нотатк* спогад* бележк* спомен* белешк* сећањ* "
            "документ*"
        ),
        "first": (
            "перв* перш* главн* головн* важн* найважливіш* най* първ* прв* релевантн* верх* вгору"
        ),
        "must": (
            "долж* обязан* всегда никогда повин* завжди обов* ніколи должен трябва винаги мора "
            "увек всякий любой"
        ),
        "others": (
            "остальн* друг* игнор* решт* інш* відкин* отброс* остан* игнорир* забуд* занемар*"
        ),
    },
    "greek": {
        "judge": "βαθμολογ* αξιολογ* κριν* κρινει κριτη* μοντελ* ψηφ* καταταξ* κατατασσ*",
        "text": "σημειωσ* αναμνησ* κειμεν* εγγραφ* καταχωρ* μνημ*",
        "first": "πρωτ* κορυφ* σημαντικοτερ* σημαντικ* σχετικοτερ* σχετικ* πανω",
        "must": "πρεπει παντα οφειλ* υποχρε* ποτε βαλε βαλει οποι* οτι",
        "others": "αλλ* υπολοιπ* αγνο* ξεχν* ξεχασ* απορριψ*",
    },
    "turkish, azerbaijani": {
        "judge": (
            "degerlendir* puanla* yargic* hakem* oy oylay* model* siralay* sirala* "
            "derecelendir* zeka qiymetlend*"
        ),
        "text": (
            "not notu notlar* notun ani anilar* metin* metni kayit* kayd* belge* hatira* qeyd*"
        ),
        "first": "ilk birinci* birinc* ust uste en onemli* basa oncelik* alakali*",
        "must": "her zaman mutlaka meli zorunda gerekir asla koymali* olmali* hemise",
        "others": "diger* baska* gerisi geri yok gormezden unut* kalan*",
    },
    "finnish, estonian, hungarian": {
        "judge": (
            "arvioi* arvioija* tuomar* malli* aanest* hinda* hindaja* mudel* haaleta* ertekel* "
            "biralo* modell* szavaz* rangsorol* pontoz*"
        ),
        "text": (
            "muistiinpano* muisto* teksti* merkinta* merkinna* markme* malestus* tekst* emlek* "
            "jegyzet* szoveg* bejegyz*"
        ),
        "first": (
            "ensimmai* tarkein* tarkeim* karkeen karjessa esimes* tahtsaim* elso* legfontosabb* "
            "legrelevans* legfels* elore"
        ),
        "must": "tulee pitaa taytyy aina pakko alati peab kell mindig kotele* soha tegye tegyen",
        "others": (
            "muut muita muiden loput unohda* ohita* teised ulejaan* tobbi* masik* mast hagy* "
            "mellozz*"
        ),
    },
    "indonesian, malay, tagalog": {
        "judge": (
            "menilai nilai penilai model hakim memberi memilih pilih peringkat suara "
            "menempatkan humusga* hukom bumoto"
        ),
        "text": "catatan ingatan kenangan teks dokumen entri tala alaala nota",
        "first": "pertama utama teratas terpenting relevan atas una pinakamahalaga nangunguna",
        "must": "harus selalu wajib jangan mesti palagi dapat kailangan apapun",
        "others": "lain lainnya sisanya abaikan lupakan iba balewalain",
    },
    "vietnamese": {
        "judge": "mo_hinh cham_diem danh_gia bo_phieu xep_hang giam_khao tro_ly",
        "text": "ghi_chu ky_uc van_ban doan_van muc_nay tai_lieu",
        "first": "dau_tien len_dau thu_nhat quan_trong_nhat lien_quan_nhat hang_dau",
        "must": "phai luon_luon luon bat_buoc bat_ke hay",
        "others": "cac_muc_khac con_lai bo_qua quen_di",
    },
    "swahili": {
        "judge": (
            "anayepima pima hakimu jaji modeli anayetathmini tathmini kura anayehukumu anayepanga"
        ),
        "text": "kumbukumbu dokezo maandishi andiko nakala hii hili",
        "first": "kwanza muhimu juu bora",
        "must": "lazima daima siku zote aiweke weka yeyote",
        "others": "nyingine zingine mengine puuza sahau",
    },
    "arabic, persian": {
        "judge": (
            "يقيم تقيم تقييم قاض القاضي نموذج النموذج الحكم يصوت صوت ترتيب مدل مدلی ارزیابی "
            "داور رای قضاوت رتبه*"
        ),
        "text": (
            "مذكره المذكره المذكرات مذكرات ملاحظه الملاحظه الذاكره ذكريات الذكريات نص النص "
            "یادداشت* خاطره* متن سند السجل"
        ),
        "first": "الاولي الاول اول اولا الاهم اهم المرتبه اعلي القمه نخست اولین بالا* مهم*",
        "must": "يجب علي دائما دايما ابدا لابد باید همیشه هرگز حتما",
        "others": "الاخري البقيه الباقي تجاهل اهمل بقیه دیگر* نادیده سایر",
    },
    "hebrew": {
        "judge": "מדרג המדרג שמדרג שופט השופט מודל המודל מעריך שמעריך הצבע להצביע דירוג",
        "text": "זיכרון זכרון זיכרונות הזיכרונות זכרונות פתק הפתק הערה ההערה טקסט הטקסט רשומה",
        "first": "ראשון הראשון ראשונה במקום חשוב החשוב ביותר בראש",
        "must": "חייב חייבת צריך תמיד לעולם מוכרח",
        "others": "אחרים האחרים שאר השאר התעלם להתעלם",
    },
    "hindi, bengali": {
        "judge": "मूल्यांकन मॉडल न्यायाधीश निर्णायक वोट आंकलन रैंक মূল্যায়ন মডেল বিচারক ভোট",
        "text": "नोट नोट्स स्मृति यादें याद टिप्पणी पाठ লেখা নোট নোটগুলি নোটটি নোটটিকে স্মৃতি",
        "first": ("पहले पहला प्रथम सबसे ऊपर महत्वपूर्ण स्थान প্রথম সবচেয়ে গুরুত্বপূর্ণ স্থানে উপরে"),
        "must": "हमेशा चाहिए अवश्य ज़रूर अनिवार्य रखे रखो रखें অবশ্যই সবসময় হবে",
        "others": "अन्य बाकी अनदेखा छोड़ दूसरे বাকি অন্য অন্যান্য উপেক্ষা",
    },
    "chinese": {
        "judge": "评审 评估 评分 评判 评价 裁判 模型 投票 打分 排序 評審 評估 評分 評價 助手",
        "text": (
            "记忆 笔记 这一条 这条 这段 文字 文本 记录 內容 内容 筆記 記憶 這條 這段 記錄 文档"
        ),
        "first": (
            "第一位 第一 首位 最前 最重要 最相关 最相關 最优先 最優先 置顶 置頂 优先 優先 最高"
        ),
        "must": "必须 必須 一定 总是 總是 始终 请把 務必 务必 无论 無論 不管",
        "others": "其余 其他 其它 忽略 無視 无视 忘记 忘記 一律",
    },
    "japanese": {
        "judge": "評価 審査 判定 採点 モデル 投票 順位 ランク アシスタント 評点",
        "text": "記憶 メモ 文章 記録 この文 テキスト ノート 項目",
        "first": "最優先 一番 最初 第一 先頭 最も 最上位 トップ 重要",
        "must": "必ず 常に べき なければ 絶対 してください いつも 置く",
        "others": "他は 他の 無視 残り 以外 その他",
    },
    "korean": {
        "judge": "평가 심사 모델 투표 채점 판단 순위 심판",
        "text": "기억 메모 글을 기록 노트 문서 텍스트 항목",
        "first": "첫_번째 첫번째 최우선 1위 가장 맨_위 맨위 먼저 중요한 우선",
        "must": "반드시 항상 해야 무조건 꼭",
        "others": "나머지 다른 무시",
    },
    "thai": {
        "judge": "คะแนน ประเมิน ผู้ตัดสิน ตัดสิน โมเดล โหวต จัดอันดับ",
        "text": "บันทึก ความทรงจำ ข้อความ เอกสาร โน้ต",
        "first": "อันดับแรก ที่หนึ่ง แรก สำคัญที่สุด บนสุด เกี่ยวข้องที่สุด",
        "must": "ต้อง เสมอ ทุกครั้ง",
        "others": "อื่น ที่เหลือ เพิกเฉย ละเว้น",
    },
}
"""{languages: {kind of word: words}}; accents do not matter."""
